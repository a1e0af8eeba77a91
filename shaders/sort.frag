#version 330
// Sorts pixels by the kind of surface they show, for the depth test to pick those of one kind; black where it clears.
#include "marks.glsl"

out vec4 colour;

void main() {
    colour = vec4(0.0);
    gl_FragDepth = mark_here().r / 8.0;
}
