// The waving surface as a mesh sees it.
#include "heights.glsl"

uniform sampler2D shift;

// How far choppy water moves the point at world xz sideways [m]; never across the block's sides.
vec2 moved_by(vec2 xz) {
    vec2 share = block_uv(xz);
    vec2 inside = smoothstep(vec2(0.0), vec2(0.03), min(share, 1.0 - share));
    return textureLod(shift, field_uv(xz), 0.0).rg * inside;
}

// World (x, z) of a share of the way across the block.
vec2 water_place(vec2 share) {
    return mix(box_low.xz, box_high.xz, share);
}

// World position of the surface where the grid's share is, and in `moved` how far it has come sideways.
vec3 surface_point(vec2 share, out vec2 moved) {
    vec2 xz = water_place(share);
    moved = moved_by(xz);
    return vec3(xz.x + moved.x, box_low.w + height_at(xz), xz.y + moved.y);
}
