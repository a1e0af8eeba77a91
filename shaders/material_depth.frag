#version 330
// Writes each pixel's material as its depth, so that the depth test can pick the pixels of one material.
#include "gbuffer.glsl"

#if NESTED
uniform sampler2D level_map;    // number of the level of detail that each pixel shows (level_map.frag)
uniform float level;            // of which this is the geometry buffer
#endif

out vec4 colour;

void main() {
    colour = vec4(0.0);
    float material = gbuffer_here().r;
#if NESTED
    // No material has the last number.
    if (abs(255.0 * texelFetch(level_map, ivec2(gl_FragCoord.xy), 0).r - level) > 0.5) material = 7.0;
#endif
    gl_FragDepth = (material + 0.25) / 8.0;
}
