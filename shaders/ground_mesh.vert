#version 330
// Meshes in world coordinates: the ground and the cut sides of its block.
#include "view.glsl"

uniform float lowest;   // what lies below this height is left out [m]

in vec3 in_position;
out vec2 moved;

void main() {
    moved = vec2(0.0);
    gl_ClipDistance[0] = in_position.y - lowest;
    gl_Position = view_projection * vec4(in_position, 1.0);
}
