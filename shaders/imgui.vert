#version 330
// Dear ImGui's triangles: window units to clip space.

uniform vec2 display_size;

in vec2 in_position;
in vec2 in_uv;
in vec4 in_color;

out vec2 uv;
out vec4 color;

void main() {
    uv = in_uv;
    color = in_color;
    vec2 unit = in_position / display_size;
    gl_Position = vec4(2.0 * unit.x - 1.0, 1.0 - 2.0 * unit.y, 0.0, 1.0);
}
