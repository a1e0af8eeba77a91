#version 330
// The upper hemisphere of the sky without the sun's disk. Baked once per sun and haze.
#include "view.glsl"
#include "sky.glsl"

in vec2 uv;
out vec4 colour;

void main() {
    colour = vec4(sky_radiance(sky_direction(uv)), 1.0);
}
