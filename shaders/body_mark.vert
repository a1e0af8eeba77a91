#version 330
// Floating bodies where they are, above a height.
#include "view.glsl"
#include "body_place.glsl"

uniform float lowest;   // what lies below this height is left out [m]

out vec2 moved;

void main() {
    vec3 at = body_place();
    moved = vec2(0.0);
    gl_ClipDistance[0] = at.y - lowest;
    gl_Position = view_projection * vec4(at, 1.0);
}
