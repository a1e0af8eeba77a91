// Geomorphing of the water's mesh, which is coarser the farther it is from the eye (waterview/render/water/lod.py).
#include "view.glsl"

in vec3 in_patch;           // column and row of the patch's first point, and side of its squares in those of the largest

uniform vec2 squares;       // how many of the largest lie along x and z
uniform float farthest;     // distance from the eye at which the points of patches as large as the block's largest have moved [m]

const float BEGIN = 0.85;   // share of that distance at which a point begins to move

// Distance from the eye at which the patch's points have arrived where they move to [m].
float morph_end() {
    return farthest * in_patch.z;
}

// Share of the way across the block of the point in this column and row.
vec2 share_of(vec2 point) {
    // In this order a coarser patch's point has the same bits.
    return point * in_patch.z / squares;
}

// How far the point in this column and row has moved, 0-1.
float morph(vec2 point) {
    vec2 xz = mix(box_low.xz, box_high.xz, share_of(point));
    float far = distance(eye, vec3(xz.x, water_level, xz.y));
    return clamp((far / morph_end() - BEGIN) / (1.0 - BEGIN), 0.0, 1.0);
}

// Share of the way across the block at which the point is.
vec2 morphed_place(vec2 point) {
    float moved = morph(point);
    vec2 coarse = share_of(in_patch.z < LARGEST ? point - mod(point, 2.0) : point);
    // At the end the point is bit by bit where its coarser neighbour is.
    return moved < 1.0 ? mix(share_of(point), coarse, moved) : coarse;
}
