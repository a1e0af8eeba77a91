#version 330
// The water's mesh: points spread over the block, moved to where the full grid's water is.
#include "view.glsl"
#include "surface.glsl"

in vec2 in_share;       // share of the way across the block along x and z
out vec2 moved;
out vec2 place;         // where in the grid's textures

void main() {
    place = field_uv(water_place(in_share));
    gl_Position = view_projection * vec4(surface_point(in_share, moved), 1.0);
}
