#version 330
// The ground from above: baked colour and inclination, close-up grain, sun, sky, and what water leaves of them.
#include "view.glsl"
#include "sky.glsl"
#include "ground_light.glsl"

uniform sampler2D albedo_map;
uniform sampler2D relief_map;
uniform sampler2D noise;

in vec3 position;
out vec4 colour;

void main() {
    vec2 uv = block_uv(position.xz);
    vec4 ground = texture(albedo_map, uv);
    vec4 relief = texture(relief_map, uv);
    vec3 albedo = ground.rgb;
#if FINE
    vec4 grain = texture(noise, position.xz / (0.021 * forward.w));
    vec4 grit = texture(noise, position.zx / (0.0043 * forward.w));
    relief.xy += (0.10 + 0.25 * ground.a) * 0.05 * (grain.yz + grit.zy);
    albedo *= 1.0 + 0.10 * (grain.x + grit.x);
#endif
    float above = position.y - box_low.w;
    // Ground that waves reach stays wet: darker, as water in its pores keeps light from coming back.
    float wet = 1.0 - smoothstep(0.0, 0.006 * forward.w, above);
    albedo *= mix(vec3(1.0), 0.45 + 0.25 * albedo, wet);
    vec3 normal = normalize(vec3(-relief.x, 1.0, -relief.y));
    colour = vec4(lit_ground(normal, albedo, relief.z, relief.w) * daylight_under_water(-above), 1.0);
}
