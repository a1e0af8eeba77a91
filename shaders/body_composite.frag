#version 330
// Floating bodies where they are seen directly: a copy of the picture of the lit bodies.
#include "gbuffer.glsl"
#include "sky.glsl"
#if UNDERWATER
#include "underwater.glsl"
#endif

uniform sampler2D body_colour;

in vec2 uv;
out vec4 colour;

void main() {
    vec3 light = texelFetch(body_colour, ivec2(gl_FragCoord.xy), 0).rgb;
    vec3 ray = linear_depth(depth_value_here()) * picture_ray(uv);
#if UNDERWATER
    light = through_water(light, uv, normalize(ray), length(ray));
#else
    light = through_air(light, normalize(ray), length(ray));
#endif
    colour = vec4(light, 1.0);
}
