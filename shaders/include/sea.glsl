// The sea around the block, to the horizon.
#include "mirror.glsl"
#include "glints.glsl"
#include "waves.glsl"
#include "foam.glsl"
#include "open_sea.glsl"

// Waves of the open sea, seen by pixels that are `width` metres wide there.
Waves open_waves(vec2 xz, float width) {
    vec4 mean = textureLod(waves, vec2(0.5), 16.0);
    float steepness = block_steepness(mean);
    float scale = patches_scale(steepness);
    vec3 slopes = patches_slopes(xz, width);
    Waves open = Waves(scale * slopes.xy, scale * scale * slopes.z, 0.0);
#if SHIFTED
    // Whitecaps lie where the sea is steepest, as many as in the block: of Gaussian slopes a share e^-k is k times as steep as
    // their mean square, that of the patches: in the block there may be land. Where pixels do not resolve the slopes, only the
    // mean is left. Foam of other models lies along shores.
    float least = -log(clamp(mean.a, 1e-4, 0.3)) - 1.7;
    float resolved = dot(slopes.xy, slopes.xy);
    float caps = 0.8 * smoothstep(least, least + 3.0, (resolved + slopes.z) / (sea_known > 0.0 ? sea_known : 1.0));
    open.foam = mix(mean.a, caps, resolved / max(resolved + slopes.z, 1e-8));
#endif
    return open;
}

#if SWELL
// The waves that come in, at xz, seen by pixels that are `width` metres wide there.
Waves incoming_waves(vec2 xz, float width) {
    Waves sum = Waves(vec2(0.0), 0.0, 0.0);
    vec3 groups = swell_groups(xz);
    for (int i = 0; i < textureSize(swell, 0).x; ++i) {
        vec4 sine = texelFetch(swell, ivec2(i, 0), 0);
        float seen = 1.0 - smoothstep(0.8, 3.0, length(sine.xy) * width);
        float steepness = groups.y * sine.z * length(sine.xy);
        sum.slope += seen * groups.y * sine.z * sin(dot(sine.xy, xz) + sine.w + groups.x) * sine.xy;
        sum.spread += 0.5 * steepness * steepness * (1.0 - seen * seen);
    }
    return sum;
}
#endif

// The waves at xz beyond the block: beside it those inside, mirrored at its sides, without the shores of its land; farther
// away those of the open sea.
Waves waves_beyond(vec2 xz, float width) {
    vec2 within = mirrored(xz);
    float out_there = distance_outside(xz);
    Waves here = mapped_waves(within, max(width, 0.03 * out_there));
    Waves open = open_waves(xz, width);
#if SWELL
    // Waves that come in run on from out there; only what is left of those inside is mirrored.
    Waves outside = incoming_waves(xz, width);
    here.slope += outside.slope - incoming_waves(within, max(width, 0.03 * out_there)).slope;
    float others = swell_groups(xz).z;
    open = Waves(outside.slope + others * open.slope, outside.spread + others * open.spread, open.foam);
#endif
    float own = own_share(xz, within);
    here = Waves(mix(open.slope, here.slope, own), mix(open.spread, here.spread, own), mix(open.foam, here.foam, own));
    return with_ripples(here, xz, width);
}

// Light of the ground beyond the block, which lies behind `path` metres of water along a unit ray that goes down from a point in it,
// `far` metres from the eye. The ground is taken to lie lower by `sunk`.
vec3 ground_in_sea(vec3 from, vec3 ray, float far, float sunk, out float path) {
    bool cut;
    path = distance_in_sea(from, ray, sunk, cut);
    vec3 met = from + path * ray;
    vec3 light = lit_cut(met);
    if (!cut) {
        met.y = ground_beyond(met.xz) - sunk;
        light = lit_sea_ground(met, ray, pixel_width(far + path));
    }
    return light;
}

#if UNDERWATER
// Light of the sea beyond the block along a unit ray from an eye in the water: its ground, and its surface from below.
vec3 sea_from_within(vec3 ray) {
    float to_surface = ray.y > 0.0 ? max(eye_depth(), 0.0) / max(ray.y, 1e-4) : 0.0;
    vec3 down = vec3(ray.x, -abs(ray.y), ray.z);
    vec3 from = eye + to_surface * ray;
    go_under_clouds(from);
    float path;
    vec3 light = ground_in_sea(from, down, to_surface, ground_sunk(), path);
    light *= left_after(path);
    if (ray.y <= 0.0) return light + inscatter_from_eye(ray, path);
    light += inscatter_within(0.0, down, path) * behind_veil(to_surface);
    vec3 out_there = refract(ray, vec3(0.0, -1.0, 0.0), INDEX);
    light = mix(sky_at(out_there + vec3(0.0, 1e-4, 0.0), 2.0).rgb, light, fresnel_below(ray.y));
    return light * left_after(to_surface) + inscatter_from_eye(ray, to_surface);
}
#endif

// Light of the sea at a point of its surface, `far` metres along a unit ray from the eye; on still water it is at `still`.
vec3 sea_radiance(vec3 at, vec2 still, vec3 ray, float far) {
    float out_there = distance_outside(at.xz);
    float down = max(-ray.y, 0.0);
    float width = water_footprint(far, down);
    Waves here = waves_beyond(still, width);
    vec3 normal = normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = rough_cosine(max(-dot(normal, ray), 0.02), here.spread);
    vec3 onward = refract(ray, normal, 1.0 / INDEX);
    float path;
    vec3 below = ground_in_sea(at, onward, far, 0.0, path);
    below *= exp(-absorption * path);
    below += inscatter(0.0, onward, path, sun_light * max(dot(normal, towards_sun), 0.0), absorption);
#if !POOL
    below += through_crest(at, onward, normal);
#endif
    vec3 above = reflected_light(at, reflect(ray, normal), here.spread, down);
    Foam foam = foam_at(still, here.foam, foam_footprint(far, down));
    below = with_bubbles(below, foam.bubbles, normal, 1.0);
    vec3 light = mix(below, above, rough_fresnel(-dot(normal, ray), here.spread + FINEST));
    light += sun_light * glints(normal, -ray, cosine, here.spread, still, far);
    light = foam_over(light, foam, 1.0, normal, 1.0);
    light = through_air(light, ray, far);
    // More haze, counted from the block's edge, so that the edge does not show: a sea of any size has a horizon. Looking down there
    // is none, or the block would lie as a dark square in it.
    float level = (1.0 - down) * (1.0 - down);
    return mix(air_light(ray), light, exp(-0.6 * level * level * haze.rgb * (out_there / extent)));
}
