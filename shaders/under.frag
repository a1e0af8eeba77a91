#version 330
// The water's surface from below: a window to sky and land, and around it a mirror of what lies in the water.
#include "marks.glsl"
#include "water.glsl"
#include "waves.glsl"
#include "diving.glsl"
#if FOAM
#include "foam.glsl"
#endif

in vec2 uv;
out vec4 colour;

// What is seen in air along a unit ray from the surface: land that stands in its way, else sky and sun.
vec3 seen_above(vec3 from, vec3 ray, float spread) {
    const int STEPS = 18;
    float before = 0.0;
    for (int i = 1; i <= STEPS; ++i) {
        float share = float(i) / float(STEPS);
        float way = forward.w * share * share;
        vec3 at = from + ray * way;
        if (at.y > box_high.y) break;
        if (bed_at(at.xz) > at.y && block_uv(at.xz) == clamp(block_uv(at.xz), 0.0, 1.0)) {
            at = from + ray * 0.5 * (before + way);
            Ground ground = ground_at(at, ray, pixel_width(way) + 0.2 * (way - before));
            return lit_above(ground.normal, ground.albedo, ground.sun, ground.sky);
        }
        before = way;
    }
    float off = 2.0 - 2.0 * dot(ray, sun.xyz);
    return sky_radiance(ray) + sun_light.rgb * min(exp(-off / spread) / (PI * spread), 400.0);
}

// What is seen in the water along a unit ray that goes down from the surface. Under water the sea goes on beyond the block
// over ground as high as at its side.
vec3 seen_below(vec3 from, vec3 ray, float far) {
    float way = way_to_ground(from, ray, forward.w);
    vec3 behind = ground_in_water(from + ray * way, ray, pixel_width(far + way));
#if BODIES
    // Bodies hang from the surface: they are met soon or not at all.
    body_in_water(from, ray, min(way, 0.1 * forward.w), behind, way);
#endif
    return behind * exp(-absorption.rgb * way) + water_glow(from, ray, way, sun_light.rgb * sun.y * sunk.w);
}

void main() {
    if (lens_depth(uv) <= 0.0) discard;
    vec3 point = point_here(uv);
    vec3 ray = point - eye.xyz;
    float far = length(ray);
    ray /= far;
    vec2 still = point.xz;
#if SHIFTED
    still -= mark_here().gb;
#endif
    // From below bends show more than from above: what is fine is left to the mean.
    float width = 4.0 * pixel_width(far) * inversesqrt(max(ray.y, 0.05));
    Waves here = waves_at(still, width);
    vec3 inward = -normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = max(-dot(ray, inward), 0.0);
    vec3 above = seen_above(point, normalize(refract(ray, inward, INDEX) + vec3(0.0, 1e-6, 0.0)), 0.002 + here.spread);
    vec3 mirrored = reflect(ray, inward);
    mirrored.y = -max(abs(mirrored.y), 0.05);
    vec3 below = seen_below(point, normalize(mirrored), far);
    // Facets too fine to show lean to and fro: the edge of the window is as soft as they are steep.
    float lean = sqrt(0.5 * here.spread + 1e-5);
    float mirroring = (fresnel_below(cosine) + fresnel_below(min(cosine + lean, 1.0)) + fresnel_below(cosine - lean)) / 3.0;
    vec3 light = mix(above, below, mirroring);
#if FOAM
    // Foam lets some light through and keeps the view from it.
    light = mix(light, 0.35 * (sun_light.rgb * sun.y / PI + sky_light[0].rgb), foam_cover(foam_thickness(still, here.foam, width), here.foam));
#endif
    colour = vec4(light * exp(-absorption.rgb * far) + glow_from_eye(ray, far), 1.0);
}
