#version 330
// Height of the floating bodies' tops in the caustic map; blending keeps the maximum.

in float top;
out vec4 height;

void main() {
    height = vec4(top);
}
