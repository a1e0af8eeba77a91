#version 330
// Floating bodies where they are seen directly: a copy of the picture of the lit bodies.
#include "gbuffer.glsl"
#if UNDERWATER
#include "underwater.glsl"
#endif

uniform sampler2D body_colour;

in vec2 uv;
out vec4 colour;

void main() {
    vec3 light = texelFetch(body_colour, ivec2(gl_FragCoord.xy), 0).rgb;
#if UNDERWATER
    vec3 ray = depth_here() * picture_ray(uv);
    light = through_water(light, uv, normalize(ray), length(ray));
#endif
    colour = vec4(light, 1.0);
}
