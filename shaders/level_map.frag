#version 330
// Which of several nested levels of detail each pixel shows: the nearest one, but a coarse level does not count where a finer
// one shows something and the place lies inside the finer one's block.
#include "gbuffer.glsl"

uniform sampler2D finer;    // geometry buffer of the next finer level
uniform vec4 inside;        // lowest x and z of its block, and highest; the other way round if there is none
uniform float level;        // number of this level

in vec2 uv;
out vec4 colour;

void main() {
    float depth = depth_value_here();
    vec2 xz = point_here(uv).xz;
    bool is_within = all(greaterThan(xz, inside.xy)) && all(lessThan(xz, inside.zw));
    if (depth >= 1.0 || (is_within && texelFetch(finer, ivec2(gl_FragCoord.xy), 0).r > 0.5)) discard;
    gl_FragDepth = depth;
    colour = vec4(level / 255.0);
}
