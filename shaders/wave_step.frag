#version 330
// One step of the damped wave equation: h + (1 - damping)(h - before) + lambda^2 L(h) (Bressler 2007, eq. 2). It sums and
// rounds in the order of waterview/waters/wave/kernels (stencils.py, rows.py), so that heights have the processor's bits.
#include "lattice.glsl"
#include "rounding.glsl"

uniform sampler2D before;   // heights a step earlier
uniform vec4 ghost_weight;  // of the height that a ghost point takes, beyond north, east, south, west
uniform bvec2 wraps;        // whether rows, and columns, go on at the other end: ghost points take the height there
uniform int stencil;        // which sum is taken over the neighbours: one of these
uniform float keep;         // 1 - damping of a step: what motion is left
uniform float gain;         // lambda^2 times the stencil's gain

const int CROSS = 0, SQUARE = 1, COMPACT = 2;

out float next;

// The height at a place that may lie a point outside the grid.
float height(ivec2 place) {
    ivec2 size = textureSize(heights, 0);
    ivec2 edge = clamp(place, ivec2(0), size - 1), opposite = edge - (place - edge) * (size - 1);
    ivec2 source = ivec2(wraps.x ? opposite.x : edge.x, wraps.y ? opposite.y : edge.y);
    vec2 beyond = vec2(place.x < 0 ? ghost_weight.w : ghost_weight.y, place.y < 0 ? ghost_weight.x : ghost_weight.z);
    vec2 weight = mix(vec2(1.0), beyond, notEqual(place, edge));
    return weight.x * weight.y * texelFetch(heights, source, 0).r;
}

// What is summed of a column: the point, and its sum with those above and below.
vec2 column(float up, float c, float down) {
    return vec2(c, stencil == SQUARE ? rounded(rounded(up + c) + rounded(c + down)) : rounded(up + down));
}

// The sum around the point of the column `mid`. Only sums are rounded: the factors are powers of two.
float laplacian(vec2 left, vec2 mid, vec2 right) {
    float c = mid.x;
    if (stencil == SQUARE) {
        return rounded(rounded(2.0 * rounded(mid.y - 8.0 * c) + left.y) + right.y);
    }
    float sides = rounded(rounded(rounded(mid.y - 4.0 * c) + left.x) + right.x);
    return stencil == CROSS ? sides : rounded(rounded(rounded(4.0 * sides + left.y) - 4.0 * c) + right.y);
}

bool has(uint link, uint bits) {
    return (link & bits) == bits;
}

// What passes to the point from a row beside it where one of a square of four is land, of the cross differences on the
// right and on the left: `slope` and `slope_beside` are the differences to the right and to the left, of both rows.
float passing(bool water, bvec2 open, bvec2 open_beside, vec2 slope, vec2 slope_beside) {
    vec2 difference = vec2(rounded(slope_beside.x - slope.x), rounded(slope_beside.y - slope.y));
    bvec2 passes = bvec2(water && open.x != open_beside.x, water && open.y != open_beside.y);
    return rounded((passes.x ? difference.x : 0.0) - (passes.y ? difference.y : 0.0));
}

void main() {
    ivec2 p = here();
    uint link = texelFetch(links, p, 0).r;
    float c = texelFetch(heights, p, 0).r;
    float n = height(p + ivec2(0, -1)), w = height(p + ivec2(-1, 0));
    float e = height(p + ivec2(1, 0)), s = height(p + ivec2(0, 1));
    float nw = 0.0, ne = 0.0, sw = 0.0, se = 0.0;
    if (stencil != CROSS) {
        nw = height(p + ivec2(-1, -1));
        ne = height(p + ivec2(1, -1));
        sw = height(p + ivec2(-1, 1));
        se = height(p + ivec2(1, 1));
    }
    // Beside land each neighbour there takes the value of the point itself, and a column that is land is as its own.
    vec2 mid = column(has(link, N) ? n : c, c, has(link, S) ? s : c);
    vec2 left = has(link, W) ? column(has(link, NW) ? nw : w, w, has(link, SW) ? sw : w) : mid;
    vec2 right = has(link, E) ? column(has(link, NE) ? ne : e, e, has(link, SE) ? se : e) : mid;
    float sum = laplacian(left, mid, right);
    if (stencil != CROSS && !has(link, ALL)) {
        bvec2 open = bvec2(has(link, E), has(link, W));
        bvec2 open_north = bvec2(has(link, N | NE), has(link, N | NW));
        bvec2 open_south = bvec2(has(link, S | SE), has(link, S | SW));
        vec2 slope = vec2(open.x ? rounded(e - c) : 0.0, open.y ? rounded(c - w) : 0.0);
        vec2 north = vec2(open_north.x ? rounded(ne - n) : 0.0, open_north.y ? rounded(n - nw) : 0.0);
        vec2 south = vec2(open_south.x ? rounded(se - s) : 0.0, open_south.y ? rounded(s - sw) : 0.0);
        float from_south = passing(has(link, S), open, open_south, slope, south);
        float from_north = passing(has(link, N), open_north, open, north, slope);
        sum = rounded(sum + rounded(from_south - from_north));
    }
    float after = fused(gain, sum, fused(keep, rounded(c - texelFetch(before, p, 0).r), c));
    next = (link & WATER_HERE) != 0u ? after : 0.0;
}
