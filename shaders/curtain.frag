#version 330
// The water's cut sides: like looking into a tank.
#include "view.glsl"
#include "sky.glsl"
#include "ground_light.glsl"
#include "water_rays.glsl"
#include "water.glsl"

in vec3 position;
in vec3 normal;
out vec4 colour;

void main() {
    vec3 to_eye = normalize(eye.xyz - position);
    float cosine = max(dot(normal, to_eye), 0.02);
    vec2 uv = gl_FragCoord.xy * screen.zw;
    vec3 below = seen_through(position, refract(-to_eye, normal, 1.0 / INDEX), opaque_at(uv).rgb, sun_light.rgb * sun.y);
    vec3 mirrored = reflect(-to_eye, normal);
    vec3 around = mirrored.y > 0.0 ? textureLod(sky_map, sky_uv(mirrored), 2.0).rgb : stage_radiance(1.0, 1.0);
    colour = vec4(mix(below, around, fresnel(cosine)), 1.0);
}
