// The waving surface: its height, and how far choppy water moves its points sideways.
#include "view.glsl"

uniform sampler2D heights;  // above still water [m], one texel per grid point
uniform sampler2D shift;    // sideways displacement of the points [m], one texel per grid point

// Height of the surface above still water at the grid's xz [m].
float water_height(vec2 xz) {
    return textureLod(heights, field_uv(xz), 0.0).r;
}

// Sideways displacement of the point at world xz [m]. It fades out at the block's sides, so that no point crosses them.
vec2 displacement_at(vec2 xz) {
    vec2 share = block_uv(xz);
    vec2 inside = smoothstep(vec2(0.0), vec2(0.03), min(share, 1.0 - share));
    return textureLod(shift, field_uv(xz), 0.0).rg * inside;
}

// World (x, z) of a share of the way across the block.
vec2 water_place(vec2 share) {
    return mix(box_low.xz, box_high.xz, share);
}

// World position of the surface point at a share of the way across the block, and its sideways displacement.
vec3 surface_point(vec2 share, out vec2 displacement) {
    vec2 xz = water_place(share);
    displacement = displacement_at(xz);
    return vec3(xz.x + displacement.x, water_level + water_height(xz), xz.y + displacement.y);
}
