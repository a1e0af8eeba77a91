// Shading of the water: reflection at a rough surface, and the view through it to ground and bodies.
#include "optics.glsl"
#include "sky.glsl"
#include "ground.glsl"
#include "water_rays.glsl"
#if BODIES
#include "bodies_screen_space.glsl"
#endif

// Mean square of the slopes that even calm water has below the size of a pixel, together with the size of the sun's disk.
#if POOL
const float CALMEST = 0.00007;
#else
const float CALMEST = 0.0009;
#endif

// Width of a pixel's footprint on the water `far` metres away [m], seen down at an angle of this sine. At a grazing angle the
// footprint is long, and slopes are averaged over most of its length, or far water would flicker.
float water_footprint(float far, float sine) {
    return pixel_width(far) * pow(max(sine, 0.03), -0.85);
}

// Effective cosine of incidence where the unresolved slopes have a mean square of `spread`. Facets that face the eye are seen
// most, so rough water reflects less near the horizon (Bruneton et al. 2010).
float rough_cosine(float cosine, float spread) {
    return sqrt(cosine * cosine + 0.35 * spread);
}

// Sky that the water reflects from along `ray`. A ray that goes below the horizon meets other waves, which are about as bright
// as the sky at the horizon.
vec3 reflected_sky(vec3 ray, float spread) {
    ray.y = sqrt(max(ray.y, 0.01) * max(ray.y, 0.01) + spread);
    return textureLod(sky_map, sky_uv(ray), 0.0).rgb;
}

// Sunlight reflected by the unresolved facets of the surface (Beckmann's distribution); `spread` is the mean square of their
// slopes and `cosine` that of the angle towards the eye.
float glitter(vec3 normal, vec3 to_eye, float cosine, float spread) {
    spread += CALMEST;
    vec3 halfway = normalize(to_eye + towards_sun);
    float across = dot(normal, halfway);
    float square = max(across * across, 1e-3);
    float share = exp((square - 1.0) / (square * spread)) / (PI * spread * square * square);
    return share * fresnel(max(dot(to_eye, halfway), 0.0)) / max(4.0 * cosine, 0.12);
}

// Light that comes out of the water along -ray at the surface point `from`, which is `far` metres from the eye.
vec3 seen_through(vec3 from, vec3 ray, float far, vec3 sun_in) {
#if SEA || !OPEN_SIDES
    float to_side = 1e3 * extent;
#else
    float to_side = distance_to_side(from, ray);
#endif
    float path = distance_to_ground(from, ray, to_side);
    vec3 met = from + ray * min(path, to_side);
    bool transmitted = false;
#if OPEN_SIDES && !SEA
    if (path > to_side) {
        // Rays that meet a side at a grazing angle are totally reflected there and go on to the ground.
        float across_x = side_across_x(met);
        float facing = abs(mix(ray.z, ray.x, across_x));
        transmitted = facing > 0.661;
        path = to_side;
        if (!transmitted) {
            vec3 on = ray * vec3(1.0 - 2.0 * across_x, 1.0, 2.0 * across_x - 1.0);
            float more = max(met.y - bed_at(met.xz), 0.0) / max(-on.y, 0.1);
            more = max(met.y - bed_at(met.xz + on.xz * more), 0.0) / max(-on.y, 0.1);
            met += on * more;
            path += more;
        }
    }
#endif
    met.xz = clamp(met.xz, box_low.xz + 2.0 * edge_inset, box_high.xz - 2.0 * edge_inset);
    vec3 behind = transmitted ? floor_radiance(1.0, 1.0) : ground_in_water(met, ray, pixel_width(far + path));
#if BODIES
    body_in_water(from, ray, path, behind, path);
#endif
    return behind * exp(-absorption * path) + inscatter(from, ray, path, sun_in);
}
