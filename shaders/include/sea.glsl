// The sea around the block, to the horizon.
#include "water.glsl"
#include "waves.glsl"
#include "foam.glsl"
#include "ground_materials.glsl"

#if SHIFTED
const vec2 MIRRORED = vec2(0.35, 0.80);     // distances at which the block's own waves begin to end, and have ended [extents]
#else
const vec2 MIRRORED = vec2(0.0, 0.12);      // rings and wakes would show that they are mirrored
#endif
const float SWELL_NOISE = 0.3;              // share of the open sea's own waves where those that come in are known
const float WAVE_TILE = 0.31;               // length after which the open sea's waves repeat [extents]
const float TILE_SLOPE = 21.3;              // root of the mean square of the slopes of the tile of noise at mipmap level 3

// How far a place is from the block [m].
float distance_outside(vec2 xz) {
    return length(xz - clamp(xz, box_low.xz, box_high.xz));
}

// Waves of the open sea: made of noise, as steep as those of the block are in the mean, so nothing of the block repeats.
Waves open_waves(vec2 xz, float width) {
    vec4 mean = textureLod(waves, vec2(0.5), 16.0);
    float steepness = max(mean.b - dot(mean.rg, mean.rg), 0.0);
    float level = max(log2(256.0 * width / (WAVE_TILE * extent)), 3.0);
    vec2 at = xz / (WAVE_TILE * extent) + 0.02 * time;
    vec2 slope = textureLod(noise, at, level).yz + textureLod(noise, 0.618 * at.yx - 0.03 * time, level).zy;
    float resolved = 1.0 - smoothstep(3.0, 6.5, level);
#if SHIFTED
    float foam_there = mean.a;
#else
    float foam_there = 0.0;     // it lies along shores
#endif
    return Waves(-sqrt(0.5 * steepness) / TILE_SLOPE * slope, steepness * (1.0 - resolved), foam_there);
}

#if SWELL
uniform sampler2D swell;    // waves that come in by the block's sides: their wave vector, amplitude and phase

// The waves that come in, at xz, seen by pixels that are `width` metres wide there.
Waves incoming_waves(vec2 xz, float width) {
    Waves sum = Waves(vec2(0.0), 0.0, 0.0);
    for (int i = 0; i < textureSize(swell, 0).x; ++i) {
        vec4 sine = texelFetch(swell, ivec2(i, 0), 0);
        float seen = 1.0 - smoothstep(0.8, 3.0, length(sine.xy) * width);
        float steepness = sine.z * length(sine.xy);
        sum.slope += seen * sine.z * sin(dot(sine.xy, xz) + sine.w) * sine.xy;
        sum.spread += 0.5 * steepness * steepness * (1.0 - seen * seen);
    }
    return sum;
}
#endif

// The waves at xz beyond the block: beside it those inside, mirrored at its sides, without the shores of its land; farther
// away those of the open sea.
Waves waves_beyond(vec2 xz, float width) {
    vec2 turn = mod(block_uv(xz), 2.0);
    vec2 side = 1.0 - 2.0 * step(1.0, turn);
    vec2 within = mix(box_low.xz, box_high.xz, 1.0 - abs(turn - 1.0));
    float out_there = distance_outside(xz);
    Waves here = mapped_waves(within, max(width, 0.03 * out_there));
    Waves open = open_waves(xz, width);
#if SWELL
    // Waves that come in run on from out there; only what is left of those inside is mirrored.
    Waves outside = incoming_waves(xz, width);
    here.slope = outside.slope + side * (here.slope - incoming_waves(within, max(width, 0.03 * out_there)).slope);
    open = Waves(outside.slope + SWELL_NOISE * open.slope, outside.spread + SWELL_NOISE * open.spread, open.foam);
#else
    here.slope *= side;
#endif
    float shore = 1.0 - smoothstep(0.0, 0.4 * mean_depth, water_level - bed_at(within));
    float own = 1.0 - smoothstep(MIRRORED.x * extent, MIRRORED.y * extent, out_there);
    own *= 1.0 - shore * smoothstep(0.0, 0.04 * extent, out_there);
    here = Waves(mix(open.slope, here.slope, own), mix(open.spread, here.spread, own), mix(open.foam, here.foam, own));
    return with_ripples(here, xz, width);
}

// Height of the ground beyond the block: beside it as at its side, blurred more and more, but always under water, and
// farther away as deep as it is in the mean.
float ground_beyond(vec2 xz) {
    vec2 low = box_low.xz + 2.0 * edge_inset;
    vec2 high = box_high.xz - 2.0 * edge_inset;
    float out_there = distance_outside(xz);
    vec2 aside = vec2(0.6 * out_there, 0.0);
    float shoal = 0.25 * (bed_at(clamp(xz + aside, low, high)) + bed_at(clamp(xz - aside, low, high))
                          + bed_at(clamp(xz + aside.yx, low, high)) + bed_at(clamp(xz - aside.yx, low, high)));
    float far = water_level - depth_around;
    return min(mix(far, shoal, exp(-out_there / (0.12 * extent))), water_level - 0.05 * mean_depth);
}

// Light of the ground beyond the block at a point of it: beside the block as at its side. Farther out that would be drawn out
// to stripes, so the ground becomes the usual one of its depth.
vec3 lit_ground_beyond(vec3 point, vec3 ray, float width) {
    float out_there = distance_outside(point.xz);
    float own = exp(-out_there / (0.02 * extent));
#if POOL
    vec3 albedo = vec3(0.40, 0.58, 0.65);
#else
    vec3 albedo = wetted(under_water(water_level - point.y, 0.0, 0.0, vec3(0.0)), 1.0);
#endif
    vec3 usual = lit_in_water(point, vec3(0.0, 1.0, 0.0), albedo, 1.0, vec3(1.0));
    if (own < 0.01) return usual;
    point.xz = clamp(point.xz, box_low.xz + 2.0 * edge_inset, box_high.xz - 2.0 * edge_inset);
    return mix(usual, ground_in_water(point, ray, max(width, 0.1 * out_there)), own);
}

// Light in the water beyond the block along a unit ray that goes down from a point in the water.
vec3 seen_in_sea(vec3 from, vec3 ray, float far, vec3 sun_in) {
    float path = 0.0;
    vec3 met = from;
    for (int i = 0; i < 3; ++i) {
        path = (from.y - ground_beyond(met.xz)) / max(-ray.y, 1e-3);
        met = from + path * ray;
    }
    met.y = ground_beyond(met.xz);
    return lit_ground_beyond(met, ray, pixel_width(far + path)) * exp(-absorption * path) + inscatter(from, ray, path, sun_in);
}

#if UNDERWATER
// Light of the sea beyond the block along a unit ray from an eye in the water: its ground, and its surface from below.
vec3 sea_from_within(vec3 ray) {
    float to_surface = ray.y > 0.0 ? max(water_level - eye.y, 0.0) / max(ray.y, 1e-4) : 0.0;
    vec3 down = vec3(ray.x, -abs(ray.y), ray.z);
    // What scatters sunlight before the surface is drawn as light shafts (inscatter_from_eye).
    vec3 sun_in = (ray.y > 0.0 ? 1.0 : 0.25) * sun_light * towards_sun.y * sun_transmittance;
    vec3 light = seen_in_sea(eye + to_surface * ray, down, to_surface, sun_in);
    if (ray.y > 0.0) {
        vec3 out_there = refract(ray, vec3(0.0, -1.0, 0.0), INDEX);
        light = mix(textureLod(sky_map, sky_uv(out_there + vec3(0.0, 1e-4, 0.0)), 2.0).rgb, light, fresnel_below(ray.y));
    }
    return light * exp(-absorption * to_surface) + inscatter_from_eye(ray, to_surface);
}
#endif

// Light of the sea along a unit ray that goes down from the eye.
vec3 sea_radiance(vec3 ray) {
    float far = max(eye.y - water_level, 1e-4 * extent) / -ray.y;
    vec3 at = eye + far * ray;
    float out_there = distance_outside(at.xz);
    float width = water_footprint(far, -ray.y);
    Waves here = waves_beyond(at.xz, width);
    vec3 normal = normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = rough_cosine(max(-dot(normal, ray), 0.02), here.spread);
    vec3 down = refract(ray, normal, 1.0 / INDEX);
    vec3 below = seen_in_sea(at, down, far, sun_light * max(dot(normal, towards_sun), 0.0));
    vec3 light = mix(below, reflected_sky(reflect(ray, normal), here.spread), fresnel(cosine));
    light += sun_light * glitter(normal, -ray, cosine, here.spread);
    light = foam_over(light, at.xz, here.foam, normal, 1.0, width);
    // Aerial perspective, counted from the block's edge, so that the edge does not show.
    return mix(textureLod(sky_map, sky_uv(ray), 0.0).rgb, light, exp(-1.5 * haze.rgb * (out_there / extent)));
}
