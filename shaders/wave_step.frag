#version 330
// One step of the damped wave equation: h + (1 - kappa)(h - before) + lambda^2 L(h) (Bressler 2007, eq. 2).
#include "lattice.glsl"

uniform sampler2D before;   // heights a step earlier
uniform ivec4 sides;        // what lies beyond north, east, south, west
uniform float corner;       // weight w in L = (1 - 2w) sides + w corners, differences from the point itself
uniform float keep;         // 1 - kappa
uniform float gain;         // lambda^2, of the speed that L has

out float next;

const int ZERO = 0, WRAPPING = 2;

// The height at a place that may lie a point outside the grid.
float height(ivec2 place) {
    ivec2 size = textureSize(heights, 0);
    ivec2 inside = clamp(place, ivec2(0), size - 1);
    ivec2 kind = ivec2(place.x < 0 ? sides.w : sides.y, place.y < 0 ? sides.x : sides.z);
    bvec2 out_of = notEqual(place, inside);
    if (any(bvec2(out_of.x && kind.x == ZERO, out_of.y && kind.y == ZERO))) {
        return 0.0;
    }
    ivec2 around = (place + size) % size;
    ivec2 at = ivec2(kind.x == WRAPPING ? around.x : inside.x, kind.y == WRAPPING ? around.y : inside.y);
    return texelFetch(heights, at, 0).r;
}

// Beside land the corner's share of a link goes to the one along the wall (waterview/waters/common/kernels/shores.py).
float beside_land(uint link, vec4 square, vec4 cross) {
    vec4 side = vec4(1.0 - 2.0 * corner) + corner * vec4(
        missing(link, NW | W, NE | E), missing(link, NW | N, SW | S),
        missing(link, NE | N, SE | S), missing(link, SW | W, SE | E));
    vec4 to_side = vec4(link & N, link & W, link & E, link & S);
    vec4 to_corner = vec4(
        (link & (N | W)) != 0u ? link & NW : 0u, (link & (N | E)) != 0u ? link & NE : 0u,
        (link & (S | W)) != 0u ? link & SW : 0u, (link & (S | E)) != 0u ? link & SE : 0u);
    return dot(side * min(to_side, 1.0), square) + corner * dot(min(to_corner, 1.0), cross);
}

void main() {
    ivec2 p = here();
    uint link = texelFetch(links, p, 0).r;
    float c = texelFetch(heights, p, 0).r;
    // Differences first: where the water is level each is 0, and so is every sum of them.
    vec4 square = vec4(height(p + ivec2(0, -1)), height(p + ivec2(-1, 0)),
                       height(p + ivec2(1, 0)), height(p + ivec2(0, 1))) - c;
    vec4 cross = corner == 0.0 ? vec4(0.0) : vec4(height(p + ivec2(-1, -1)), height(p + ivec2(1, -1)),
                                                  height(p + ivec2(-1, 1)), height(p + ivec2(1, 1))) - c;
    float open = (1.0 - 2.0 * corner) * dot(square, vec4(1.0)) + corner * dot(cross, vec4(1.0));
    float sum = (link & ALL) == ALL ? open : beside_land(link, square, cross);
    float after = c + (keep * (c - texelFetch(before, p, 0).r) + gain * sum);
    next = (link & WATER_HERE) != 0u ? after : 0.0;
}
