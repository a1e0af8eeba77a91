#version 330
// How deep under the sea beyond the block the points of the near plane lie [m]; negative in air.
#include "sea_shape.glsl"

in vec2 uv;
out float depth;

void main() {
    vec3 at = eye + near_plane * picture_ray(uv);
    // The place whose water has been shifted to here.
    vec2 xz = at.xz;
    for (int i = 0; i < 3; ++i) {
        xz = at.xz - sea_shape(xz, grid_spacing).yz;
    }
    depth = water_level + sea_shape(xz, grid_spacing).x - at.y;
}
