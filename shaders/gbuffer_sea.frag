#version 330
// Writes the sea beyond the block into the geometry buffer; the background shades it.

in vec2 displacement;
out vec4 texel;

void main() {
    texel = vec4(BACKGROUND, displacement, 1.0);
}
