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
    vec4 grain = texture(noise, mat2(0.8, 0.6, -0.6, 0.8) * position.xz / (0.083 * forward.w));
    vec4 grit = texture(noise, mat2(0.28, 0.96, -0.96, 0.28) * position.xz / (0.0171 * forward.w));
    // Seen from above the pattern is stretched on steep ground, so it fades there.
    float level = 1.0 / (1.0 + dot(relief.xy, relief.xy));
    relief.xy += (0.0020 + 0.008 * ground.a) * level * (grain.yz + grit.zy);
    albedo *= 1.0 + 0.15 * level * (grain.x + grit.x);
#endif
    float above = position.y - box_low.w;
    float wet = 1.0 - smoothstep(0.0, 0.0025 * forward.w, above);
    albedo = wetted(albedo, wet);
    vec3 normal = normalize(vec3(-relief.x, 1.0, -relief.y));
    colour = vec4(lit_ground(normal, albedo, relief.z, relief.w) * daylight_under_water(-above), 1.0);
}
