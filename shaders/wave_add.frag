#version 330
// What falls into the water, added to its heights in a window of the grid, in double precision as the processor adds it.
#include "rounding.glsl"

uniform sampler2D level;    // the heights
uniform sampler2D added;    // in the window: what is added, rounded, and what the rounding took from it
uniform ivec2 first;        // the window's first column and row
uniform float share;        // of what is added: 1, or 0 for a copy
uniform float highest;      // heights stay within it

out float height;

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    vec2 parts = share * texelFetch(added, p - first, 0).rg;
    height = clamp(sum_of_three(texelFetch(level, p, 0).r, parts.x, parts.y), -highest, highest);
}
