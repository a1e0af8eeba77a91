#version 330
// Height of the ground, and share of the sun that reaches it or still water above it. Baked once per terrain and sun.
#include "view.glsl"

uniform sampler2D bed;
uniform sampler2D visibility;

out vec4 bed_and_sun;   // r height of the ground [m], g share of the sun

void main() {
    ivec2 cell = ivec2(gl_FragCoord.xy);
    vec2 share = vec2(cell) / (1.0 / grid_texel - 1.0);
    bed_and_sun = vec4(texelFetch(bed, cell, 0).r, textureLod(visibility, share, 0.0).r, 0.0, 1.0);
}
