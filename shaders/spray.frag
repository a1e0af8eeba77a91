#version 330
// A drop in the air or a bubble in the water: a soft disk, hidden by whatever is nearer (blended).
#include "gbuffer.glsl"
#include "light.glsl"
#if UNDERWATER
#include "underwater.glsl"
#endif

in float far;
in float age;
in float share;         // of its point that the particle covers
out vec4 colour;

void main() {
    vec2 off = 2.0 * gl_PointCoord - 1.0;
    float disk = 1.0 - dot(off, off);
    if (disk <= 0.0 || far > depth_here() + 0.002 * extent) discard;
    go_under_clouds(eye);
    vec3 light = 0.8 * (sun_light / PI * 0.7 + sky_light[0].rgb);
    float cover = 0.6 * share * min(disk * 1.5, 1.0) * clamp(2.0 * age, 0.0, 1.0);
#if UNDERWATER
    // A bubble is bright at its rim and clear inside.
    light = mix(0.5 * light, light, 1.0 - disk) * exp(-absorption * far) + inscatter_from_eye(forward, far);
    cover *= 1.0 - 0.6 * disk;
#endif
    colour = vec4(light * cover, cover);
}
