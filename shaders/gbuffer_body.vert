#version 330
// Floating bodies in the geometry buffer.
#include "view.glsl"
#include "body_vertex.glsl"

out vec2 displacement;

void main() {
    vec3 at = body_vertex();
    displacement = vec2(0.0);
    gl_Position = view_projection * vec4(at, 1.0);
}
