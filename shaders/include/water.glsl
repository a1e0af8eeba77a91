// Shading of the water: reflection at a rough surface, and the view through it to ground and bodies.
#include "optics.glsl"
#include "sky.glsl"
#include "ground.glsl"
#include "noise.glsl"
#include "water_rays.glsl"
#if SEA
#include "sea_ground.glsl"
#endif
#if BODIES
#include "body_light.glsl"
#endif

// Mean square of the angles by which the sun's light spreads through the calmest water. It is that of the sun as the background
// shows it and of slopes that are never seen, and no less than half floats can hold.
const float SUN_SPREAD = 1.1e-4;

// Mean square of the slopes that even calm water has below the size of a pixel, together with the size of the sun's disk. In a pool
// that is all there is: its mirror image of the sun is as small as the sun that the background shows.
#if POOL
const float CALMEST = 0.00001;
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

// What unresolved facets mirror, by their slopes' mean square `spread`: the mean height above the horizon of the rays that they turn,
// of which one without them would have the height `still`. Each facet counts by how much of it the eye sees, (d + e) / 2 for a ray
// at height e and an eye that looks down by d, and by its reflectance; a ray below the horizon meets other waves, and counts as if it
// rose as far. Fitted to these sums, for d from 0.03 to 0.5 and s up to 0.2: off by 0.15 s (root mean square).
float lobe_height(float still, float spread) {
    float lower = still - 5.3 * spread;
    return 0.5 * (lower + sqrt(lower * lower + 6.5 * spread));
}

// The standard deviation of the same heights. The nearer to the horizon, the narrower is what is above it.
float lobe_deviation(float height, float spread) {
    return min(sqrt(2.0 * spread) * height / (height + 0.66 * sqrt(spread) + 1e-6), 0.7 * height);
}

// Reflectance of the same facets, all together; `cosine` is that of the angle between the resolved surface and the eye, negative where
// it faces away. Fitted in the same way: off by 0.006, where `rough_cosine` is off by 0.04, and by 0.1 at waves' far sides.
float rough_fresnel(float cosine, float spread) {
    float lower = cosine - 2.0 * spread;
    return fresnel(0.5 * (lower + sqrt(lower * lower + 3.2 * spread)));
}

// Sky that the water reflects from around a ray, whose height has this deviation. Facets turn it sideways by as much times `slant`,
// the sine of the angle at which they are seen, and a level of the map blurs it by the mean of the two. A radian is about 0.6 of it.
vec3 reflected_sky(vec3 ray, float deviation, float slant) {
#if CLOUDS
    return sky_at(ray, mipmap(log2(1.2 * deviation * sqrt(slant) * float(textureSize(sky_map, 0).x)))).rgb;
#else
    return sky_at(ray, 0.0).rgb;
#endif
}

// Sunlight reflected by the unresolved facets of the surface (Beckmann's distribution); `spread` is the mean square of their
// slopes and `cosine` that of the angle towards the eye. The bound keeps it within half floats.
float glitter(vec3 normal, vec3 to_eye, float cosine, float spread) {
    spread += CALMEST;
    vec3 halfway = normalize(to_eye + towards_sun);
    float across = dot(normal, halfway);
    float square = max(across * across, 1e-3);
    float share = exp((square - 1.0) / (square * spread)) / (PI * spread * square * square);
    return min(share * fresnel(max(dot(to_eye, halfway), 0.0)) / max(4.0 * cosine, 0.12), 3000.0);
}

// Sunlight that the unresolved facets of the surface refract to an eye under water from along a unit ray in air. `bend` is how far a
// facet turns the ray for each unit of its slope, and `spread` the mean square of their slopes. Lengthwise the ray turns by more, as
// it leaves at a slant: the lobe is round with the same solid angle.
float sun_through(vec3 ray, float bend, float spread) {
    float turned = SUN_SPREAD + bend * bend * spread / max(ray.y, 0.1);
    return exp((2.0 * dot(ray, towards_sun) - 2.0) / turned) / (PI * turned);
}

#if !POOL
// Sunlight that shines through a crest towards the eye: it enters at the far face and is scattered once on its way. `onward` is
// the unit ray in the water, which meets the more of it the higher the crest and the gentler its face.
vec3 through_crest(vec3 at, vec3 onward, vec3 normal) {
    float path = 2.0 * max(at.y - water_level, 0.0) / (0.15 + length(normal.xz));
    float cosine = dot(normalize(refracted_sun - towards_sun), -onward);
    float phase = 0.64 / (4.0 * PI) * pow(1.36 - 1.2 * cosine, -1.5);     // Henyey and Greenstein's, g = 0.6
    vec3 scattered = 0.22 * backscatter / max(backscatter.g, backscatter.b) * (1.0 - exp(-2.0 * absorption.g * path));
    return sun_light * phase * scattered * exp(-absorption * path);
}
#endif

// Light that comes to a point of the block's sides along -ray, from the sky or from the floor that the block stands on.
vec3 surroundings(vec3 from, vec3 ray) {
    return ray.y > 0.0 ? sky_at(ray, 2.0).rgb : floor_along(ray, (from.y - box_low.y) / max(-ray.y, 1e-4), vec2(1.0));
}

// Light of what a unit ray in the water meets that begins `far` metres from the eye: ground, a body, or what lies around the block.
// `ground` is that under `from`. `path` becomes its way through the water. Waves finer than pixels turn the ray by `turned` [rad].
vec3 met_in_water(vec3 from, vec3 ray, float far, float turned, vec4 ground, out float path) {
    vec3 met = from;
    vec3 onward = ray;
    path = 0.0;
    bool outside = false;
    int body = -1;
#if SEA
    path = distance_to_sea_ground(from, ray, ground);
#elif !OPEN_SIDES
    path = distance_to_ground(from, ray, 1e3 * extent, ground);
#endif
#if SEA || !OPEN_SIDES
#if BODIES
    path = body_hit(from, ray, path, body);
#endif
    met += path * ray;
#else
    // At the block's sides and at the surface from below, rays go out or are totally reflected and go on. The bound is not
    // constant to keep Mesa from unrolling the loop.
    int bounces = min(int(extent) + 3, 3);
    for (int i = 0; i < bounces; ++i) {
        float to_side = distance_to_side(met, onward, max(water_level, met.y));
        float more = distance_to_ground(met, onward, to_side, ground);
#if BODIES
        more = body_hit(met, onward, more, body);
#endif
        met += onward * min(more, to_side);
        path += min(more, to_side);
        if (more < to_side) break;
        vec2 inside = min(met.xz - box_low.xz, box_high.xz - met.xz);
        vec3 normal = side_normal(met);
        if (min(inside.x, inside.y) > 1e-4 * extent || dot(onward, normal) <= 0.0) normal = vec3(0.0, 1.0, 0.0);
        vec3 passed = refract(onward, -normal, INDEX);
        outside = passed != vec3(0.0);
        if (outside) onward = passed;
        if (outside) break;
        onward = reflect(onward, normal);
        ground = ground_under(met.xz);
    }
#endif
    float width = pixel_width(far + path) + turned * path;
#if SEA
    vec3 behind = lit_sea_ground(met, onward, width);
#else
#if OPEN_SIDES
    if (body < 0) met.xz = clamp(met.xz, box_low.xz + 2.0 * edge_inset, box_high.xz - 2.0 * edge_inset);
#endif
    vec3 behind = ground_in_water(met, onward, width);
#if OPEN_SIDES
    if (outside) behind = surroundings(met, onward);
#endif
#endif
#if BODIES
    if (body >= 0) behind = body_seen(body, met, onward, width, true, 0.0);
#endif
    return behind;
}

#if BODIES
// Share of sunlight that bodies leave to `path` metres of water along a unit ray that begins at a depth: at the mean place from which it
// is scattered to the eye. On its way there most of it has been turned a few times, by 0.4 each (root mean square; Petzold 1972): it comes
// from about as far around as the place lies along the ray, and no shade in deep water has an edge.
float sun_past_bodies(vec3 from, float depth, vec3 ray, float path) {
    float way = path / (2.0 + absorption.g * (1.0 - DOWNWARD * ray.y) * path);
    vec3 entered = from + way * ray + (depth - way * ray.y) / refracted_sun.y * refracted_sun;
    return sunlight_around(entered, towards_sun, way);
}
#endif

// Light that comes out of the water along -ray at the point `from` of its surface or of a cut side, which is `far` metres from the
// eye and lies at a depth below the surface over it. `ground` is that under `from`.
vec3 seen_through(vec3 from, float depth, vec3 ray, float far, vec4 ground, vec3 sun_in) {
    float path;
    vec3 behind = met_in_water(from, ray, far, 0.0, ground, path);
#if BODIES
    sun_in *= sun_past_bodies(from, depth, ray, path);
#endif
    return behind * exp(-absorption * path) + inscatter(depth, ray, path, sun_in, absorption);
}
