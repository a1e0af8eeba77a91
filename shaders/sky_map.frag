#version 330
// The upper half of the sky, without the sun's disk, for everything that is lit by it or mirrors it.
#include "view.glsl"
#include "sky.glsl"

in vec2 uv;
out vec4 colour;

void main() {
    colour = vec4(sky_radiance(sky_direction(uv)), 1.0);
}
