// Points of a mesh that grows coarser with the distance from the eye (waterview/render/water/patches.py).
#include "view.glsl"

in vec4 in_share;       // share of the way across the block along x and z, and the share it moves to
in float in_reach;      // distance from the eye at which it has arrived there [m]

const float BEGIN = 0.85;   // share of that distance at which it begins to move

// How far it has moved, 0-1.
float move_now() {
    vec2 xz = mix(box_low.xz, box_high.xz, in_share.xy);
    float far = distance(eye.xyz, vec3(xz.x, box_low.w, xz.y));
    return clamp((far / in_reach - BEGIN) / (1.0 - BEGIN), 0.0, 1.0);
}

// Share of the way across the block where the point is now.
vec2 share_now() {
    float moved = move_now();
    // To the bit where its coarser neighbour is.
    return moved < 1.0 ? mix(in_share.xy, in_share.zw, moved) : in_share.zw;
}
