#version 330
// Floating bodies where they are seen directly.
#include "body_light.glsl"

in vec3 position;
in vec3 normal;
in vec3 colour;
flat in float size;
out vec4 shown;

void main() {
    vec3 to_eye = eye - position;
    go_under_clouds(position);
    float far = length(to_eye);
    shown = vec4(body_radiance(position, normalize(normal), colour, size, to_eye / far, pixel_width(far)), 1.0);
}
