#version 330
// The water's mesh: points spread over the block, moved to where the full grid's water is.
#include "view.glsl"
#include "surface.glsl"
#include "patch.glsl"

out vec2 moved;
out vec2 place;         // where in the grid's textures

void main() {
    vec2 share = share_now();
    place = field_uv(water_place(share));
    gl_Position = view_projection * vec4(surface_point(share, moved), 1.0);
}
