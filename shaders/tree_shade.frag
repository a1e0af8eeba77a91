#version 330
// Shares of sun and sky that are left in the shade of a tree, as factors.

in vec2 across;
out vec4 left;

void main() {
    float shade = 1.0 - smoothstep(0.5, 1.0, length(across));
    left = vec4(1.0, 1.0, 1.0 - 0.8 * shade, 1.0 - 0.3 * shade);
}
