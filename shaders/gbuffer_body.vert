#version 330
// Floating bodies in the geometry buffer.
#include "view.glsl"
#include "body_vertex.glsl"

uniform float lowest;   // everything below this height is clipped [m]

out vec2 displacement;

void main() {
    vec3 at = body_vertex();
    displacement = vec2(0.0);
    gl_ClipDistance[0] = at.y - lowest;
    gl_Position = view_projection * vec4(at, 1.0);
}
