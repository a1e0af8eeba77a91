#version 330
// The mesh of the sea beyond the block in the geometry buffer; it meets the block's water at its sides.
#include "view.glsl"
#include "lod.glsl"
#include "sea_shape.glsl"

in vec2 in_corner;      // column and row within the patch

out vec2 displacement;

void main() {
    vec2 point = in_patch.xy + in_corner;
    vec2 xz = water_place(morphed_place(point));
    vec3 shape = sea_shape(xz, SQUARE * morph_end() * (1.0 + morph(point)));
    displacement = shape.yz;
    gl_Position = view_projection * vec4(xz.x + shape.y, water_level + shape.x, xz.y + shape.z, 1.0);
}
