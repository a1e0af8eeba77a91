#version 330
// The cut sides of the block of ground.
#include "view.glsl"

in vec3 in_position;
in vec2 in_outward;     // x and z of the side's normal
in float in_top;        // height of the ground above this point [m]

out vec3 position;
out vec3 normal;
out float top;

void main() {
    position = in_position;
    normal = vec3(in_outward.x, 0.0, in_outward.y);
    top = in_top;
    gl_Position = view_projection * vec4(in_position, 1.0);
}
