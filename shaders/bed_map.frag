#version 330
// Share of the sun that reaches the ground or still water above it, in the g of the texture that has its height in r and the
// space above it that is free of ground in ba. Baked once per terrain and sun.
#include "view.glsl"

uniform sampler2D visibility;

out vec4 sun;   // only g is written

void main() {
    ivec2 cell = ivec2(gl_FragCoord.xy);
    vec2 share = vec2(cell) / (1.0 / grid_texel - 1.0);
    sun = vec4(textureLod(visibility, share, 0.0).r);
}
