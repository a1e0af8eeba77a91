#version 330
// Drops that have just landed, as points in the map of waves; all other particles are moved out of sight.
#include "view.glsl"

in vec4 in_place;       // xyz position, w state (spray_step.vert): 3 has landed

void main() {
    vec2 uv = field_uv(in_place.xz);
    gl_PointSize = 2.0;
    gl_Position = in_place.w == 3.0 ? vec4(2.0 * uv - 1.0, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
