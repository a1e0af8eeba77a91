#version 330
// Floating bodies where they are seen directly.
#include "marks.glsl"

uniform sampler2D body_colour;

out vec4 colour;

void main() {
    colour = texelFetch(body_colour, ivec2(gl_FragCoord.xy), 0);
}
