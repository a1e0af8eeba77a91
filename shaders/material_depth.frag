#version 330
// Writes each pixel's material as its depth, so that the depth test can pick the pixels of one material.
#include "gbuffer.glsl"

out vec4 colour;

void main() {
    colour = vec4(0.0);
    gl_FragDepth = (material_here() + 0.25) / 8.0;
}
