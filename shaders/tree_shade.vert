#version 330
// The shade of trees in the map of the ground: an ellipse each, from its foot to where the shadow of its top lies.
#include "view.glsl"

in vec4 in_place;
in vec4 in_look;
out vec2 across;        // place in the ellipse, which ends at a length of 1

void main() {
    across = 2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0;
    vec2 away = -normalize(towards_sun.xz + 1e-6);
    float radius = 0.5 * in_look.x * in_place.w;
    float length = min(0.5 * in_place.w * length(towards_sun.xz) / towards_sun.y, 2.5 * in_place.w);
    vec2 middle = in_place.xz + length * away;
    vec2 at = middle + across.x * (radius + 0.8 * length) * away + across.y * radius * vec2(-away.y, away.x);
    gl_Position = vec4(2.0 * block_uv(at) - 1.0, 0.0, 1.0);
}
