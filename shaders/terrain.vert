#version 330
// The ground's own mesh, in world coordinates.
#include "view.glsl"

in vec3 in_position;
out vec3 position;

void main() {
    position = in_position;
    gl_Position = view_projection * vec4(in_position, 1.0);
}
