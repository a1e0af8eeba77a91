#version 330
// The slopes of the water, (-dh/dx, -dh/dz): central differences, one-sided at the grid's edges. Beyond a link that is
// missing the water counts as high as at the point itself.
#include "lattice.glsl"

uniform float scale;        // half of one over the points' distance [1/m]
uniform float steepest;     // what a half float holds

out vec2 slope;

float height(ivec2 place, bool linked, float c) {
    return linked ? texelFetch(heights, place, 0).r : c;
}

void main() {
    ivec2 p = here(), last = textureSize(heights, 0) - 1;
    ivec2 low = max(p - 1, 0), high = min(p + 1, last);
    uint link = texelFetch(links, p, 0).r;
    link = (link & WATER_HERE) != 0u ? link : ALL;
    float c = texelFetch(heights, p, 0).r;
    vec2 from = vec2(height(ivec2(low.x, p.y), (link & W) != 0u, c), height(ivec2(p.x, low.y), (link & N) != 0u, c));
    vec2 to = vec2(height(ivec2(high.x, p.y), (link & E) != 0u, c), height(ivec2(p.x, high.y), (link & S) != 0u, c));
    vec2 ends = vec2(equal(p, ivec2(0))) + vec2(equal(p, last));
    slope = clamp((from - to) * scale * (1.0 + min(ends, 1.0)), -steepest, steepest);
}
