#version 330
// Height of floating bodies in the light map; blending keeps the highest.

in float top;
out vec4 height;

void main() {
    height = vec4(top);
}
