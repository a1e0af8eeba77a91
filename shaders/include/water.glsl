// Light in water: what is seen through its surface.
#include "optics.glsl"
#include "sky.glsl"
#include "ground.glsl"
#include "water_rays.glsl"
#if BODIES
#include "bodies_seen.glsl"
#endif

// Mean square of slopes that even calm water has below any pixel, and what the sun's own disk adds.
#if POOL
const float CALMEST = 0.00007;
#else
const float CALMEST = 0.0009;
#endif

// Width of what a pixel shows of the water `far` metres away [m], seen down at an angle of this sine: at a slant a pixel
// is long, and slopes are averaged over most of its length, or far water would be a flicker of dots.
float water_width(float far, float sine) {
    return pixel_width(far) * pow(max(sine, 0.03), -0.85);
}

// The cosine of incidence that counts where slopes too fine to show have a mean square of `spread`: facets that are
// turned towards the eye are seen the most, so rough water mirrors less at the horizon (Bruneton et al. 2010).
float rough_cosine(float cosine, float spread) {
    return sqrt(cosine * cosine + 0.35 * spread);
}

// The sky that water mirrors along `ray`. Rays that a wave sends below the horizon meet other waves: about as bright as
// what stands at the horizon.
vec3 mirrored_sky(vec3 ray, float spread) {
    ray.y = sqrt(max(ray.y, 0.01) * max(ray.y, 0.01) + spread);
    return textureLod(sky_map, sky_uv(ray), 0.0).rgb;
}

// Sunlight mirrored by the unresolved facets of the surface (Beckmann), over the cosine towards the eye; `spread` is
// the mean square of their slopes.
float glitter(vec3 normal, vec3 to_eye, float cosine, float spread) {
    spread += CALMEST;
    vec3 halfway = normalize(to_eye + sun.xyz);
    float across = dot(normal, halfway);
    float square = max(across * across, 1e-3);
    float share = exp((square - 1.0) / (square * spread)) / (PI * spread * square * square);
    return share * fresnel(max(dot(to_eye, halfway), 0.0)) / max(4.0 * cosine, 0.12);
}

// Light that comes out of the water along -ray at the surface point `from`, `far` metres from the eye.
vec3 seen_through(vec3 from, vec3 ray, float far, vec3 sun_in) {
#if SEA || !OPEN
    float to_side = 1e3 * forward.w;
#else
    float to_side = way_out(from, ray);
#endif
    float way = way_to_ground(from, ray, to_side);
    vec3 met = from + ray * min(way, to_side);
    bool transmitted = false;
#if OPEN && !SEA
    if (way > to_side) {
        // Rays that come to a side at less than 48.6 degrees from it are mirrored there and see the ground yet.
        float across_x = side_across_x(met);
        float facing = abs(mix(ray.z, ray.x, across_x));
        transmitted = facing > 0.661;
        way = to_side;
        if (!transmitted) {
            vec3 on = ray * vec3(1.0 - 2.0 * across_x, 1.0, 2.0 * across_x - 1.0);
            float more = max(met.y - bed_at(met.xz), 0.0) / max(-on.y, 0.1);
            more = max(met.y - bed_at(met.xz + on.xz * more), 0.0) / max(-on.y, 0.1);
            met += on * more;
            way += more;
        }
    }
#endif
    met.xz = clamp(met.xz, box_low.xz + 2.0 * box_high.w, box_high.xz - 2.0 * box_high.w);
    vec3 behind = transmitted ? stage_radiance(1.0, 1.0) : ground_in_water(met, ray, pixel_width(far + way));
#if BODIES
    body_in_water(from, ray, way, behind, way);
#endif
    return behind * exp(-absorption.rgb * way) + water_glow(from, ray, way, sun_in);
}
