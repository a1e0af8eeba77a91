#version 330
// Height of the ground, share of the sun that reaches it or still water above it, and the space above it that is free of
// ground. Baked once per terrain and sun.
#include "view.glsl"

uniform sampler2D bed;          // r height of the ground [m], ba as below
uniform sampler2D visibility;

out vec4 bed_and_sun;   // r height of the ground [m], g share of the sun, ba space free of ground (free_space.py)

void main() {
    ivec2 cell = ivec2(gl_FragCoord.xy);
    vec2 share = vec2(cell) / (1.0 / grid_texel - 1.0);
    bed_and_sun = texelFetch(bed, cell, 0);
    bed_and_sun.g = textureLod(visibility, share, 0.0).r;
}
