#version 330
// One step of the damped wave equation: h + (1 - damping)(h - before) + lambda^2 L(h) (Bressler 2007, eq. 2).
#include "lattice.glsl"

uniform sampler2D before;   // heights a step earlier
uniform vec4 ghost_weight;  // of the height that a ghost point takes, beyond north, east, south, west
uniform bvec2 wraps;        // whether rows, and columns, go on at the other end: ghost points take the height there
uniform float corner;       // weight w in L = (1 - 2w) sides + w corners, differences from the point itself
uniform float damping;      // of a step: damping times time step
uniform float gain;         // lambda^2, of the speed that L has

out float next;

// The height at a place that may lie a point outside the grid.
float height(ivec2 place) {
    ivec2 size = textureSize(heights, 0);
    ivec2 edge = clamp(place, ivec2(0), size - 1), opposite = (place + size) % size;
    ivec2 source = ivec2(wraps.x ? opposite.x : edge.x, wraps.y ? opposite.y : edge.y);
    vec2 beyond = vec2(place.x < 0 ? ghost_weight.w : ghost_weight.y, place.y < 0 ? ghost_weight.x : ghost_weight.z);
    vec2 weight = mix(vec2(1.0), beyond, notEqual(place, edge));
    return weight.x * weight.y * texelFetch(heights, source, 0).r;
}

// Beside land the corner's share of a link goes to the one along the wall (waterview/waters/wave/coast.py).
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
    float after = c + ((1.0 - damping) * (c - texelFetch(before, p, 0).r) + gain * sum);
    next = (link & WATER_HERE) != 0u ? after : 0.0;
}
