#version 330
// Floating bodies where they are seen directly.
#include "marks.glsl"
#if DIVED
#include "diving.glsl"
#endif

uniform sampler2D body_colour;

in vec2 uv;
out vec4 colour;

void main() {
    vec3 light = texelFetch(body_colour, ivec2(gl_FragCoord.xy), 0).rgb;
#if DIVED
    vec3 ray = depth_here() * picture_ray(uv);
    light = through_water(light, uv, normalize(ray), length(ray));
#endif
    colour = vec4(light, 1.0);
}
