#version 330
// The cut sides of the block of ground: soil over strata of sediment and rock.
#include "gbuffer.glsl"
#include "block.glsl"
#include "light.glsl"
#include "noise.glsl"
#if UNDERWATER
#include "underwater.glsl"
#endif

in vec2 uv;
out vec4 colour;

void main() {
    vec3 point = point_here(uv);
    vec3 ray = point - eye;
    float far = length(ray);
    ray /= far;
    float width = pixel_width(far);
    go_under_clouds(point);
    vec3 normal = side_normal(point);
    float along = dot(point.xz, normal.zx);
    float thick = max(water_level - box_low.y, 0.02 * extent);
    float top = bed_at(point.xz);
    float under = (top - point.y) / thick;
    vec2 at = vec2(along / extent, point.y / thick);
    float detail = log2(256.0 * width / extent);
    vec4 warp = textureLod(noise, at * vec2(1.3, 0.35), mipmap(detail));
    vec4 grain = textureLod(noise, at * vec2(9.0, 2.5), mipmap(detail + 3.0));
    float layer = at.y - 0.25 * under + 0.035 * warp.x;
    float band = textureLod(noise, vec2(0.37, layer * 0.30), 0.0).x + 0.6 * textureLod(noise, vec2(0.71, layer * 1.1), 0.0).x;
#if POOL
    vec3 albedo = vec3(0.27, 0.265, 0.255) * (1.0 + 0.05 * band);
#else
    vec3 albedo = mix(vec3(0.150, 0.112, 0.085), vec3(0.290, 0.225, 0.165), smoothstep(-0.7, 0.7, band + 0.3 * grain.x));
#endif
    albedo *= 1.0 + 0.12 * grain.a;
#if !POOL
    vec3 soil = mix(vec3(0.105, 0.075, 0.050), vec3(0.36, 0.31, 0.23), step(top, water_level + 0.004 * extent));
    float skin = 0.035 + 0.008 * warp.a + 0.008 * grain.x;
    // From far away or at a grazing angle the soil would be thinner than a pixel and break up into dots.
    float slant = max(-dot(normal, ray), 0.02);
    float thin = clamp(1.6 - width / (slant * thick * skin), 0.0, 1.0);
    albedo = mix(albedo, soil, thin * (1.0 - smoothstep(0.75 * skin, 1.15 * skin, under)));
#endif
    float open = mix(0.45, 1.0, smoothstep(0.0, 0.9, (point.y - box_low.y) / thick));
#if UNDERWATER
    // An eye in the sea around sees the sides of the ground through it.
    vec3 light = lit_above(normal, albedo, 1.0, open);
    if (point.y < water_level) light = lit_in_water(point, normal, albedo, open, vec3(1.0));
    colour = vec4(through_water(light, uv, ray, far), 1.0);
#else
    colour = vec4(through_air(lit_above(normal, albedo, 1.0, open), ray, far), 1.0);
#endif
}
