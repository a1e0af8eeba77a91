// Geomorphing of the water's mesh, which is coarser the farther it is from the eye (waterview/render/water/lod.py).
#include "view.glsl"

in vec4 in_places;          // xy share of the way across the block along x and z, zw the share that the point moves to
in float in_morph_end;      // distance from the eye at which the point has arrived there [m]

const float BEGIN = 0.85;   // share of that distance at which the point begins to move

// How far the point has moved, 0-1.
float morph() {
    vec2 xz = mix(box_low.xz, box_high.xz, in_places.xy);
    float far = distance(eye, vec3(xz.x, water_level, xz.y));
    return clamp((far / in_morph_end - BEGIN) / (1.0 - BEGIN), 0.0, 1.0);
}

// Share of the way across the block at which the point is.
vec2 morphed_place() {
    float moved = morph();
    // At the end the point is bit by bit where its coarser neighbour is.
    return moved < 1.0 ? mix(in_places.xy, in_places.zw, moved) : in_places.zw;
}
