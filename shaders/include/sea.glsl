// The sea around the block, to the horizon.
#include "water.glsl"
#include "waves.glsl"
#include "foam.glsl"

// Ground beyond the block: as high as at its side, but always under water, and deeper the farther away.
vec3 ground_beyond(vec2 xz, float out_there) {
    vec2 inset = vec2(2.0 * edge_inset);
    vec2 beside = clamp(xz, box_low.xz + inset, box_high.xz - inset);
    float shoal = min(bed_at(beside), water_level - 0.05 * mean_depth);
    float deep = water_level - 4.0 * mean_depth;
    return vec3(beside.x, mix(shoal, min(shoal, deep), smoothstep(0.0, 0.4 * extent, out_there)), beside.y);
}

// Light of the sea along a unit ray that goes down from the eye.
vec3 sea_radiance(vec3 ray) {
    float far = max(eye.y - water_level, 1e-4 * extent) / -ray.y;
    vec3 at = eye + far * ray;
    float out_there = length(at.xz - clamp(at.xz, box_low.xz, box_high.xz));
    float width = water_footprint(far, -ray.y);
    Waves here = waves_beyond(at.xz, width);
    vec3 normal = normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = rough_cosine(max(-dot(normal, ray), 0.02), here.spread);
    vec3 down = refract(ray, normal, 1.0 / INDEX);
    vec3 ground = ground_beyond(at.xz, out_there);
    float path = (at.y - ground.y) / max(-down.y, 0.2);
    vec3 sun_in = sun_light * max(dot(normal, towards_sun), 0.0);
    // The ground at the block's side continues outwards, more and more blurred, or caustics would be drawn out to streaks.
    float seen = max(pixel_width(far + path), 0.1 * out_there);
    vec3 below = ground_in_water(ground, down, seen) * exp(-absorption * path)
               + inscatter(at, down, path, sun_in);
    vec3 light = mix(below, reflected_sky(reflect(ray, normal), here.spread), fresnel(cosine));
    light += sun_light * glitter(normal, -ray, cosine, here.spread);
    light = foam_over(light, at.xz, here.foam, normal, 1.0, width);
    // Aerial perspective, counted from the block's edge, so that the edge does not show.
    return mix(textureLod(sky_map, sky_uv(ray), 0.0).rgb, light, exp(-1.5 * haze.rgb * (out_there / extent)));
}
