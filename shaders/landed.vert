#version 330
// Drops that have just fallen back, as points in the wave map.
#include "view.glsl"

in vec4 in_place;

void main() {
    vec2 uv = field_uv(in_place.xz);
    gl_PointSize = 2.0;
    gl_Position = in_place.w == 3.0 ? vec4(2.0 * uv - 1.0, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
