#version 330
// Plain colours, interpolated between vertices.

in vec3 tint;
out vec4 colour;

void main() {
    colour = vec4(tint, 1.0);
}
