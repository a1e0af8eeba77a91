#version 330
// How deep under the water's surface the points of the near plane lie [m]; negative in air.
#include "surface.glsl"
#if SEA
#include "sea_shape.glsl"
#endif

uniform vec2 finest_squares;    // how many squares of the water's mesh near the eye would lie along x and z

in vec2 uv;
out float depth;

// Height above still water, and sideways displacement, of what the water's mesh has at xz before it is displaced. The surface between
// the grid's points is not the mesh: at the lens they are many pixels apart, a strip where rays from the air would miss the water or
// rays from the water would meet it from above.
vec3 mesh_shape(vec2 xz) {
    vec2 place = clamp(block_uv(xz), 0.0, 1.0) * finest_squares;
    vec2 first = min(floor(place), finest_squares - 1.0);
    vec2 part = place - first;
    // Each square is cut from its first corner to its last (waterview/render/water/lod.py).
    vec2 beside = part.x > part.y ? vec2(1.0, 0.0) : vec2(0.0, 1.0);
    vec2 moved_a, moved_b, moved_c;
    float a = surface_point(first / finest_squares, moved_a).y;
    float b = surface_point((first + beside) / finest_squares, moved_b).y;
    float c = surface_point((first + 1.0) / finest_squares, moved_c).y;
    vec3 share = vec3(1.0 - max(part.x, part.y), abs(part.x - part.y), min(part.x, part.y));
    return vec3(dot(share, vec3(a, b, c)) - water_level, share.x * moved_a + share.y * moved_b + share.z * moved_c);
}

// The same of the water at xz, within the block or beyond it.
vec3 shape_here(vec2 xz) {
#if SEA
    if (xz != clamp(xz, box_low.xz, box_high.xz)) return sea_shape(xz, grid_spacing);
#endif
    return mesh_shape(xz);
}

void main() {
    vec3 at = eye + near_plane * picture_ray(uv);
    vec2 xz = at.xz;
#if SEA || SHIFTED
    // The place whose water has been shifted to here.
    for (int i = 0; i < 3; ++i) {
        xz = at.xz - shape_here(xz).yz;
    }
#endif
    depth = water_level + shape_here(xz).x - at.y;
}
