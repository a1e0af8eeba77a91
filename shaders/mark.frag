#version 330
// Leaves the kind of surface for the passes that shade.

uniform float kind;

in vec2 moved;
out vec4 mark;

void main() {
    mark = vec4(kind, moved, 1.0);
}
