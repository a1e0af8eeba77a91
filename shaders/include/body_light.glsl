// Light of floating bodies, painted and glossy: lit by sun and sky in air, and by the light that reaches them in the water.
#include "sky.glsl"
#include "light.glsl"
#include "block.glsl"
#include "noise.glsl"

const float GLOSS = 0.04;       // reflectance of the paint at normal incidence (F0)
const float ROUGH = 0.02;       // mean square of the slopes of its facets
const float ROUGH_WET = 0.004;  // of a film of water that runs off it
const float IN_WATER = 0.3;     // of what it mirrors at grazing angles under water, the share that slime leaves; by eye

// How high waves wash up a body, as a share of its size. Longer ones lift it; those as long as it is, and half as steep as waves that
// break, are so high above still water, and up to twice as high where the body throws them back.
const float WASH = 0.2 / (2.0 * PI);
const float REACHED = 0.62;         // share of WASH that is wet in the mean, by eye: most waves are lower
const float UNEVEN_REACH = 0.25;    // by how much a value of 1 of the noise (deviation 0.5) changes it
const float RUNS = 2.0;             // tiles of noise along a body: its broad features are a tenth of the body long

// Dust and grease that float on water stick to a body where it ends: so high above, as a share of its size, and so much of the light
// they take.
const float LINE = 0.012;
const float GRIME = 0.5;

// Share of diffuse light that the water's surface reflects from above and from below (Judd 1942). What is upright sees more of the sky in
// it, at low angles: Fresnel's term, weighed with the squared cosine of the angle below the horizon.
const float MIRRORED_DOWN = 0.066;
const float MIRRORED_ASIDE = 0.21;
const float MIRRORED_BACK = 0.475;

// Share of the light on the ground around a body that its own shadow leaves: sides that the sun does not reach face the shadow, which
// takes up two fifths of the ground that they see near them.
const float UNSHADED = 0.6;

// Share of the light that reaches the ground under water that it sends back.
#if POOL
const vec3 GROUND_ALBEDO = LINING;
#else
const vec3 GROUND_ALBEDO = vec3(0.15, 0.14, 0.12);     // between wet sand and overgrown rock
#endif

// How much longer than straight up the way is of light from the ground to a body.
const float SLANT = 1.25;

#if POOL
// Where the walls of a pool stand, from its middle, as a share of its shorter side; how much brighter than their mean they are where the
// sun goes, and what part of their light falls on the floor by way of the surface. By the light of the drawn surroundings of points in six
// scenes, of which all this gives the irradiance to 14 %, in most directions.
const float REACH = 0.4;
const float SUNNY = 0.7;
const float ON_FLOOR = 0.3;
#else
// What the water sends to a face that looks down, relative to what it sends level: the mean of 1 / (1 + 0.65 s), s the sine of the angle
// below the horizon, is 0.71 for a level one and 0.80 for an upright one.
const float FROM_WATER = 0.7;
#endif

// Specular reflection of sun (Beckmann), sky, and below the horizon of what comes up `from_water` (Schlick's Fresnel term).
vec3 gloss(vec3 facing, vec3 to_eye, float rough, float sun_seen, vec3 from_water) {
    vec3 halfway = normalize(to_eye + towards_sun);
    float square = max(dot(facing, halfway), 1e-3);
    square *= square;
    float spark = exp((square - 1.0) / (square * rough)) / (PI * rough * square * square);
    float share = GLOSS + (1.0 - GLOSS) * pow(1.0 - clamp(dot(facing, to_eye), 0.0, 1.0), 5.0);
    vec3 reflected = reflect(-to_eye, facing);
    vec3 around = mix(from_water, sky_at(reflected, 3.0).rgb, smoothstep(-0.25, 0.25, reflected.y));
    return share * around + GLOSS * 0.25 * spark * sun_seen * max(dot(facing, towards_sun), 0.0) * sun_light;
}

// Light that comes to a surface at a point from the water below, in the mean: what the ground and the water itself send back, and the sky
// in the water's surface. What that reflects from below goes down and comes again.
vec3 light_from_water(vec3 point, vec3 facing) {
    vec3 ground = UNSHADED * (1.0 - MIRRORED_BACK) * GROUND_ALBEDO / (1.0 - MIRRORED_BACK * GROUND_ALBEDO);
    vec3 sent = mix(backscatter, ground, left_after(2.0 * DOWNWARD * max(water_level - bed_at(point.xz), 0.0)));
    vec3 sky = sky_on(vec3(0.0, 1.0, 0.0));
    return sent * (sun_light * towards_sun.y / PI + sky) + mix(MIRRORED_ASIDE, MIRRORED_DOWN, clamp(-facing.y, 0.0, 1.0)) * sky;
}

// What lights a body from around at a point under water, each in the mean: radiance from below, radiance from the sides and from the
// surface beyond Snell's window, and irradiance over pi from that window on a level face.
struct Around {
    vec3 below;
    vec3 aside;
    vec3 window;
#if POOL
    float fall;     // sine of the angle below the horizon at which the floor ends
#endif
};

// From below comes what ground and water send back. Most of the ground's comes from about as far aside as it lies below, and from a patch
// of that size; there the body's own shadow lies near its foot. Beyond Snell's window the surface mirrors what the water sends up, in a
// pool its walls and its floor.
Around light_from_around(vec3 point, vec3 facing, float width) {
    float depth = max(water_level - point.y, 0.0);
    float height = max(point.y - bed_at(point.xz), 0.0);
    vec3 onward = facing - vec3(0.0, 1.2, 0.0);
    vec3 ground = vec3(point.x, point.y - height, point.z);
    ground.xz -= onward.xz * (height / min(onward.y, -0.2));
    vec3 sun = sun_light * (towards_sun.y * sun_transmittance / PI);
    vec3 sky = sky_on(vec3(0.0, 1.0, 0.0));
    vec3 near = sun * caustics_at(ground, max(width, 1.5 * height)).rgb + sky * sky_past_bodies(ground, vec3(0.0, 1.0, 0.0));
    vec3 left = daylight_under_water(depth);
    vec3 up_here = left_after((DOWNWARD + SLANT) * height);
    Around light;
    light.window = sky * left;
#if POOL
    light.aside = pool_around(depth);
    light.below = GROUND_ALBEDO * (near * left * up_here + ON_FLOOR * light.aside);
    vec2 across = box_high.xz - box_low.xz;
    float reach = REACH * min(across.x, across.y);
    light.fall = height * inversesqrt(height * height + reach * reach);
#else
    light.aside = FROM_WATER * backscatter * (sun + sky) * left;
    light.below = mix(light.aside, GROUND_ALBEDO * near * left, up_here);
#endif
    return light;
}

// What of it falls on a face: irradiance over pi. Through Snell's window an upright face has a seventh of what a level one has, where the
// window alone gives a fifth (fitted to pools, whose walls hide the low sky), and one that looks down hardly any: neither sees what lies
// beside the water.
vec3 light_on(Around light, vec3 facing) {
    float above = 0.5 + 0.5 * facing.y;
#if POOL
    // Walls that the sun shines on are up to three times as bright, under a low sun, as those that it leaves in the shade. The floor takes up so much of what a
    // face sees below the horizon: an upright one, and in the line after that a level one.
    vec3 aside = light.aside * (1.0 + SUNNY * dot(facing.xz, refracted_sun.xz));
    float upright = (1.0 - light.fall) * (1.0 - 0.45 * light.fall);
    vec3 below = mix(aside, light.below, clamp(mix(upright, 1.0 - light.fall * light.fall, -facing.y), 0.0, 1.0));
#else
    vec3 aside = light.aside;
    vec3 below = light.below;
#endif
    return (1.0 - above) * below + mirrored_share(facing.y) * aside + above * above * (0.2 + 0.8 * above) * light.window;
}

// Light of a body's surface at a point with this unit normal and albedo, seen from `to_eye` by pixels `width` metres wide. The
// body measures about `size` metres, and the point lies at `own` along its axes, in its mesh's units. The point is `in_water` if the ray by
// which it is seen comes there through water: what waves have laid bare below still water is in air, and what a crest covers is not. In air
// it is so far `above` the water's surface [m]. `sun_seen` as by `sun_on_body`.
vec3 body_radiance(vec3 point, vec3 own, vec3 facing, vec3 albedo, float size, vec3 to_eye, float width, bool in_water, float above,
                   float sun_seen) {
    if (in_water) {
        // Texels of the map at the waterline lie partly within the body, where no light enters the water: a dark seam. Light is
        // looked up beside the body.
        float beside = BESIDE * max(1.0 / (caustic_scale.x * float(textureSize(caustic_map, 0).x)), width);
        // In a crest light has come through water above the still level, too; the map is looked up where it passed that level.
        vec3 still = point - refracted_sun * (max(point.y - water_level, 0.0) / refracted_sun.y);
        vec4 beam = caustics_at(still + vec3(beside, 0.0, beside) * facing, width);
        vec3 sun = (beam.rgb + beam.a) * sun_seen;
        Around around = light_from_around(point, facing, width);
        // Under water paint mirrors at grazing angles alone: fitted to Fresnel's equations for 1.5 / 1.333, off by 0.04. Its slopes count
        // as in rough_cosine.
        float cosine = max(dot(facing, to_eye), 0.0);
        float mirrored = IN_WATER * pow(1.0 - min(sqrt(cosine * cosine + 0.35 * ROUGH), 1.0), 7.5);
        vec3 light = albedo * (sun_at_depth(water_level - point.y, facing, sun) + light_on(around, facing));
        return mix(light, light_on(around, reflect(-to_eye, facing)), mirrored);
    }
    // Of the light that comes back from under a film of water, the film's surface reflects a part down again (Angstrom 1925).
    // The film has run up by turns and thins out upwards. It goes with the hull: the noise is looked up along its own axes.
    // Water runs together: features of the noise under a sixtieth of the size would look like blades of grass.
    float uneven = textureLod(noise, RUNS * own.xz, mipmap(max(log2(256.0 * RUNS * width / size), 3.0))).x;
    float washed = max(WASH * size * (REACHED + UNEVEN_REACH * uneven), width);
    float wet = 1.0 - smoothstep(0.75, 1.25, above / washed);
    albedo *= mix(vec3(1.0), (1.0 - MIRRORED_DOWN) * (1.0 - MIRRORED_BACK) / (1.0 - MIRRORED_BACK * albedo), wet);
    albedo *= 1.0 - GRIME * min(LINE * size / width, 1.0) * (1.0 - smoothstep(0.3, 1.0, above / max(LINE * size, width)));
    vec3 from_water = light_from_water(point, facing);
    // In place of what sky_on takes to come from below.
    vec3 instead = (0.5 - 0.5 * facing.y) * (from_water - sky_on(vec3(0.0, -1.0, 0.0)));
    return max(lit_above(facing, albedo, sun_seen, 1.0) + albedo * instead, vec3(0.0))
        + gloss(facing, to_eye, mix(ROUGH, ROUGH_WET, wet), sun_seen, from_water);
}

// Share of the sunlight that bodies let through to a body's point, for `body_radiance`. It shades itself, too; shadow rays begin as far
// outside of it as two points of its volume are apart.
float sun_on_body(vec3 point, vec3 facing, float size, bool in_water) {
    return sunlight_past_bodies(point + 0.02 * size * facing, in_water ? -refracted_sun : towards_sun);
}

// `body_radiance` of the body that a unit ray meets at a point.
vec3 body_seen(int body, vec3 point, vec3 ray, float width, bool in_water, float above) {
    vec3 albedo;
    vec3 facing = body_surface(body, point, albedo);
    float size = 1.0 / length(body_row(body, 0).xyz);
    float sun_seen = sun_on_body(point, facing, size, in_water);
    return body_radiance(point, body_own(body, vec4(point, 1.0)), facing, albedo, size, -ray, width, in_water, above, sun_seen);
}
