#version 330
// The scene in plain colours, shown while the real picture waits for its shaders.

uniform mat4 view_projection;

in vec3 in_place;
in vec3 in_colour;

out vec3 tint;

void main() {
    tint = in_colour;
    gl_Position = view_projection * vec4(in_place, 1.0);
}
