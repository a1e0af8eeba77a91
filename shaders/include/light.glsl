// Light on matte (Lambertian) surfaces, above and under water.
#include "sky.glsl"
#if BODIES
#include "bodies.glsl"
#endif

uniform sampler2D caustic_map;    // sunlight in the water relative to still water: rgb on the ground, a on bodies

// Absorption of daylight on its way down, relative to a straight ray: part of what is scattered still goes down.
const float DOWNWARD = 0.65;

// What a screen shows as green of light of 480 nm, relative to what it shows as blue (CIE 1931 in sRGB). Of all light, clear water lets
// this through the farthest; were it shown in blue alone, the deep would be a blue that no water has. Each part of a way, down and to the
// eye, counts for itself.
const float GREEN_OF_BLUE = 0.24;

// Share of sunlight and daylight, by colour, that is left after so many metres of water.
vec3 left_after(float way) {
    vec3 left = exp(-absorption * way);
#if !POOL
    float shown = absorption.b < absorption.g ? GREEN_OF_BLUE : 0.0;
    float other = (absorption.g - shown * absorption.b) / (1.0 - shown);    // absorption of green light: at first as without it
    left.g = mix(exp(-other * way), left.b, shown);
#endif
    return left;
}

// Share of daylight, by colour, that reaches a depth under still water [m].
vec3 daylight_under_water(float depth) {
    return left_after(DOWNWARD * max(depth, 0.0));
}

// Light of sky and surroundings on a surface with this unit normal: irradiance over pi.
vec3 sky_on(vec3 normal) {
    return max(sky_light[0].rgb + normal.x * sky_light[1].rgb + normal.y * sky_light[2].rgb + normal.z * sky_light[3].rgb,
               vec3(0.0));
}

// Excess of green in a colour (Woebbecke et al. 1995): 0.3 and more for meadows, about 0.1 for heath and dry grass, at most
// 0.05 for sand, silt and rock.
float greenness(vec3 albedo) {
    return (2.0 * albedo.g - albedo.r - albedo.b) / max(albedo.r + albedo.g + albedo.b, 1e-3);
}

// Share of leaves in what covers the ground, judged by its colour.
float leaves_in(vec3 albedo) {
    return smoothstep(0.1, 0.3, greenness(albedo));
}

// Albedo of ground, of which a share is `rock`, that is wet to a share of 0-1. Water in the pores of sand and soil traps light
// (Angstrom 1925; Twomey et al. 1986); dense rock has few pores and only a film on it (Lekner and Dorf 1988), which runs off. Leaves
// have no pores: water lies on them in drops, and wet ones reflect as much as dry ones (Pinter 1986).
vec3 wetted(vec3 albedo, float rock, float wet) {
    wet *= (1.0 - 0.4 * rock) * (1.0 - leaves_in(albedo));
    return albedo * mix(vec3(1.0), 0.45 + 0.25 * albedo, wet);
}

// How far beside what shades a place the light in the water is looked up [texels of the caustic map].
const float BESIDE = 3.0;

// The caustic map at a point: all points along one ray of the sun, in air and then in still water, share a texel. The mipmap
// level suits pixels that are `width` metres wide.
vec4 caustics_at(vec3 point, float width) {
    float above = point.y - water_level;
    vec2 along = above > 0.0 ? towards_sun.xz / towards_sun.y : refracted_sun.xz / refracted_sun.y;
    vec2 uv = (point.xz - along * above - caustic_origin) * caustic_scale;
    vec4 light = textureLod(caustic_map, uv, mipmap(log2(width * caustic_scale.x * float(textureSize(caustic_map, 0).x))));
#if SEA || OPEN_SIDES
    // The map ends near the block; beyond, light is as under still water.
    vec2 off = abs(uv - 0.5) - 0.5;
    float even = smoothstep(SEA == 1 ? -0.02 : 0.0, 0.02, max(off.x, off.y));
#if SEA
    // It becomes so gradually, or an eye on the ground would see where the block ends.
    off = abs(block_uv(point.xz) - 0.5) - 0.5;
    even = max(even, smoothstep(-0.12, 0.02, max(off.x, off.y)));
#endif
    light = mix(light, vec4(1.0, 1.0, 1.0, 0.0), even);
#endif
    return light;
}

// Light of a surface in air with this unit normal and albedo, which sees these shares of sun and sky.
vec3 lit_above(vec3 normal, vec3 albedo, float sun_seen, float sky_seen) {
    return albedo * (sun_light * (max(dot(normal, towards_sun), 0.0) * sun_seen / PI) + sky_on(normal) * sky_seen);
}

// How far around the sun's direction sunlight comes from in water [rad]: waves bend it by about a third of their slopes, and the water
// turns some of it by small angles (Petzold 1972). If it were parallel, the relief of rock that it grazes would be black specks.
const float SUN_ASIDE = 0.2;

// Sunlight on a surface at a depth with this unit normal: irradiance over pi. `sun` is that which falls there relative to still water.
vec3 sun_at_depth(float depth, vec3 normal, vec3 sun) {
    float cosine = -dot(normal, refracted_sun);
    float above = clamp(cosine + SUN_ASIDE, 0.0, 2.0 * SUN_ASIDE);     // what part of it rises over the surface [rad]
    float facing = max(cosine, above * above / (4.0 * SUN_ASIDE)) / -refracted_sun.y;
    vec3 direct = sun_light * (towards_sun.y * sun_transmittance / PI * facing) * sun;
    return direct * left_after(DOWNWARD / -refracted_sun.y * max(depth, 0.0));
}

// Light of a surface at a point under water, on which so much sunlight falls, relative to still water.
vec3 lit_in_water(vec3 point, vec3 normal, vec3 albedo, float sky_seen, vec3 sun) {
    float depth = water_level - point.y;
    return albedo * (sun_at_depth(depth, normal, sun) + sky_on(normal) * sky_seen * daylight_under_water(depth));
}

// What a face whose normal rises by this sine gets of light that is even from below and that the surface mirrors as a whole beyond
// Snell's window: irradiance over pi. Of the light from above a level face has 1 / 1.333^2 through the window, an upright one two fifths
// of that. Fitted to the integral: off by 0.006.
float mirrored_share(float rise) {
    float above = 0.5 + 0.5 * rise;
    return above * (1.118 - 0.683 * above);
}

#if POOL
const vec3 LINING = vec3(0.41, 0.58, 0.65);   // mean albedo of the tiles of a pool and their joints

// Distance from a wall of a pool to the middle of the patch of floor that lights this point of it: most light comes from about as far as
// the floor lies below, and from a patch of that size; at the wall's foot, from a patch of a third of the depth.
float floor_before(vec3 point) {
    return max(point.y - lowest_ground, 0.3 * (water_level - lowest_ground));
}

// How much longer than straight down the way is of light that the surface reflects as a whole: the mean of its cosine is 0.44. It goes
// aside twice as far as up and down: in a usual pool three quarters of it come from walls, and these are half as bright as the floor.
// Of a pool that is cut open, as a model is, half the walls are missing.
const float MIRRORED_WAY = 2.27;
#if OPEN_SIDES
const float MIRRORED_FLOOR = 0.44;
#else
const float MIRRORED_FLOOR = 0.6;
#endif

// Light of a pool's floor and walls that comes to a depth by way of the surface, which reflects it as a whole beyond Snell's window, in the
// mean. Near the surface the walls themselves are as bright.
vec3 pool_around(float depth) {
    float deep = water_level - lowest_ground;
    vec3 floor_light = LINING * (sun_light * (towards_sun.y * sun_transmittance / PI) + sky_on(vec3(0.0, 1.0, 0.0)));
    return MIRRORED_FLOOR * floor_light * left_after(DOWNWARD * deep + MIRRORED_WAY * (deep + depth));
}

// What of this falls on a face from above: irradiance over pi.
vec3 light_mirrored(float depth, vec3 normal) {
    return mirrored_share(normal.y) * pool_around(depth);
}

// Light that the floor of a pool sends back to a wall at a point under water: irradiance over pi. `sun_on_floor` is the sunlight there,
// relative to that under still water. Of what the wall has before it, a floor that reaches so far is this share (Howell's catalogue of
// view factors, B-3).
vec3 light_from_floor(vec3 point, vec3 normal, float sky_seen, vec3 sun_on_floor) {
    float height = max(point.y - lowest_ground, 0.0);
    float reach = dot(abs(normal.xz), box_high.xz - box_low.xz);
    float seen = 0.5 - 0.5 * height * inversesqrt(height * height + reach * reach);
    vec3 direct = sun_light * (towards_sun.y * sun_transmittance / PI) * sun_on_floor;
    vec3 sky = sky_on(vec3(0.0, 1.0, 0.0)) * sky_seen;
    return seen * LINING * (direct + sky) * daylight_under_water(water_level - lowest_ground + floor_before(point));
}
#endif

// Light of the ground at a point under water, which sees this share of the sky past land and bodies, and of the sun past other ground
// under water.
vec3 lit_below(vec3 point, vec3 normal, vec3 albedo, float sky_seen, float sun_seen, float width) {
#if POOL
    // Walls look twice, first at the floor that lights them, then at themselves; the floor looks once. Software computes an `if` for all
    // pixels.
    bool wall = normal.y < 0.6;
    float before = floor_before(point);
    vec3 below = vec3(point.x + normal.x * before, lowest_ground, point.z + normal.z * before);
    vec3 on_floor;
    vec3 sun = vec3(0.0);
    int looks = wall ? 2 : 1;
    do {
        on_floor = sun;
        sun = caustics_at(looks == 2 ? below : point, looks == 2 ? 1.5 * before : width).rgb;
    } while (--looks > 0);
    vec3 light = lit_in_water(point, normal, albedo, sky_seen, sun_seen * sun);
    light += albedo * sky_seen * light_mirrored(water_level - point.y, normal);
    return wall ? light + albedo * light_from_floor(point, normal, sky_seen, on_floor) : light;
#else
    return lit_in_water(point, normal, albedo, sky_seen, sun_seen * caustics_at(point, width).rgb);
#endif
}
