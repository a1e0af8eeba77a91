#version 330
// The reflected picture with a quarter of its rows or fewer. Waves draw out what they mirror, up and down several times as far as
// sideways; so are the texels of this picture's mipmaps.
#include "view.glsl"

uniform sampler2D full;
uniform sampler2D full_depth;   // value of its depth buffer, 0-1
uniform float row;              // height of a row of this picture, as a share of it

in vec2 uv;
layout(location = 0) out vec4 colour;
layout(location = 1) out float nearness;    // one over the distance of land along `forward` [1/m]; 0 is none

void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 4; ++i) sum += textureLod(full, uv + vec2(0.0, row * (0.25 * float(i) - 0.375)), 0.0);
    colour = 0.25 * sum;
    // Above land its distance is told as well: what waves mirror from around a ray that passes over it is partly that land. The
    // picture is upside down. The farther above, the less land so low that it is stepped over matters.
    float depth = textureLod(full_depth, uv, 0.0).r;
    float below = row;
    while (depth >= 1.0 && uv.y + below < 1.0) {
        depth = textureLod(full_depth, uv + vec2(0.0, below), 0.0).r;
        below = 1.15 * below + 0.85 * row;
    }
    // So it is just below the foot of land, where rows are too coarse for the water that mirrors it.
    for (int i = 1; i <= 4; ++i) depth = min(depth, textureLod(full_depth, uv - vec2(0.0, 0.25 * row * float(i)), 0.0).r);
    nearness = depth < 1.0 ? 1.0 / linear_depth(depth) : 0.0;
}
