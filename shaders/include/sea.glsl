// The sea around the block, to the horizon.
#include "water.glsl"
#include "waves.glsl"
#include "foam.glsl"

// Ground beyond the block: as high as at its side, but under water, and deeper the farther away.
vec3 ground_beyond(vec2 xz, float out_there) {
    vec2 inset = vec2(2.0 * box_high.w);
    vec2 beside = clamp(xz, box_low.xz + inset, box_high.xz - inset);
    float shoal = min(bed_at(beside), box_low.w - 0.05 * absorption.w);
    float deep = box_low.w - 4.0 * absorption.w;
    return vec3(beside.x, mix(shoal, min(shoal, deep), smoothstep(0.0, 0.4 * forward.w, out_there)), beside.y);
}

// Its light along a unit ray that goes down from the eye.
vec3 sea_radiance(vec3 ray) {
    float far = max(eye.y - box_low.w, 1e-4 * forward.w) / -ray.y;
    vec3 at = eye.xyz + far * ray;
    float out_there = length(at.xz - clamp(at.xz, box_low.xz, box_high.xz));
    float width = water_width(far, -ray.y);
    Waves here = waves_beyond(at.xz, width);
    vec3 normal = normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = rough_cosine(max(-dot(normal, ray), 0.02), here.spread);
    vec3 down = refract(ray, normal, 1.0 / INDEX);
    vec3 ground = ground_beyond(at.xz, out_there);
    float way = (at.y - ground.y) / max(-down.y, 0.2);
    vec3 sun_in = sun_light.rgb * max(dot(normal, sun.xyz), 0.0);
    // What lies at the block's side goes on outwards: coarser and coarser, or its caustics would be drawn out to streaks.
    float seen = max(pixel_width(far + way), 0.1 * out_there);
    vec3 below = ground_in_water(ground, down, seen) * exp(-absorption.rgb * way)
               + water_glow(at, down, way, sun_in);
    vec3 light = mix(below, mirrored_sky(reflect(ray, normal), here.spread), fresnel(cosine));
    light += sun_light.rgb * glitter(normal, -ray, cosine, here.spread);
    light = foam_over(light, at.xz, here.foam, normal, 1.0, width);
    // Air between: none over the block, so that its edge does not show.
    return mix(textureLod(sky_map, sky_uv(ray), 0.0).rgb, light, exp(-1.5 * haze.rgb * (out_there / forward.w)));
}
