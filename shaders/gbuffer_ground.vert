#version 330
// The ground and the cut sides of its block in the geometry buffer; vertices are in world coordinates.
#include "view.glsl"

uniform float lowest;   // everything below this height is clipped [m]

in vec3 in_position;
out vec2 displacement;
out vec3 position;

void main() {
    displacement = vec2(0.0);
    position = in_position;
    gl_ClipDistance[0] = in_position.y - lowest;
    gl_Position = view_projection * vec4(in_position, 1.0);
}
