#version 330
// Where sunlight that enters the water at each node of the caustics mesh meets the ground, as places in the caustic map for green
// light, whether it meets a body before, and how far red and blue light land apart. The mesh covers the map's area. Beyond the block
// waves are mirrored at its sides; if they were clamped, light there would be drawn out to stripes. At the mesh's rim the water
// counts as flat, and its light lands at the map's rim, or waves and high water would move the rim inwards and leave a dark border.
#include "water_rays.glsl"
#include "surface.glsl"
#include "waves.glsl"
#if BODIES
#include "bodies.glsl"
#endif

uniform vec2 nodes;             // how many along x and z

layout(location = 0) out vec4 green_source; // xy where green light lands, 0-1 over the map, zw where it entered
// r light relative to that under still water in full sun, gb heights where it enters and lands [m], a 0 if no body is near, 1 if
// one may be in the air, and 2 to 3 if one may be in the water: the share of the way to the ground after which it meets one, plus 2
layout(location = 1) out vec4 share;
#if DISPERSION
layout(location = 2) out vec2 parted;       // from where blue light lands to where red light does, 0-1 over the map
#endif

// Refractive index of air over that of water for red, green and blue. They are about twice as far apart as in nature; true
// dispersion would be finer than the map.
const vec3 INDICES = 1.0 / vec3(1.329, 1.333, 1.338);

const float FOAM_SHADE = 0.7;   // share of the light that foam which covers the water keeps from it

vec2 map_place(vec2 xz) {
    return (xz - caustic_origin) * caustic_scale;
}

// Place in the map of light that passes `from` along `ray` and lands at height y, as `caustics_at` looks it up (light.glsl).
vec2 landed(vec3 from, vec3 ray, float y) {
    vec2 at = from.xz + ray.xz / ray.y * (y - from.y);
    vec2 along = y > water_level ? towards_sun.xz / towards_sun.y : refracted_sun.xz / refracted_sun.y;
    return map_place(at - along * (y - water_level));
}

// Whether dry ground has water beside it, at most as far below it as a beach rises from there. Where `water` is on it, software
// computes one turn of the loop, and would compute all four in an `if`.
bool by_the_water(vec2 xz, float ground, float spacing, bool water) {
    vec2 aside = vec2(2.0 * spacing, 0.0);
    int looks = water ? 0 : 4;
    for (int i = 0; i < looks; ++i) {
        vec2 beside = xz + (i < 2 ? aside : aside.yx) * float(2 * (i & 1) - 1);
        float surface = water_level + water_height(beside);
        if (surface > bed_at(beside) && ground - surface < spacing) return true;
    }
    return false;
}

void main() {
    vec2 node = (gl_FragCoord.xy - 0.5) / (nodes - 1.0);
    vec2 place = caustic_origin + node / caustic_scale;
    vec2 inset = vec2(edge_inset);
    vec2 edge = clamp(place, box_low.xz + inset, box_high.xz - inset);
    vec2 xz = 2.0 * edge - place;
    float spacing = 1.0 / (caustic_scale.x * nodes.x);
    Waves here = waves_at(xz, 0.7 * spacing);
    vec2 entry = place + displacement_at(xz);
    vec3 from = vec3(entry.x, water_level + water_height(xz), entry.y);
    vec2 rim = step(0.5, abs(node - 0.5) + 0.25 / nodes);
    here.slope *= 1.0 - max(rim.x, rim.y);
    vec3 normal = normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = max(dot(normal, towards_sun), 0.0);
    vec3 green = refract(-towards_sun, normal, INDICES.g);
    vec2 bed_here = ground_under(edge).rg;
    float ground = bed_here.r;
    float lit = bed_here.g;
    // Light fades to nothing on dry ground. Where that began right at the water, as it did along waves that run up a beach, the
    // ground under their front would be dark.
    if (by_the_water(edge, ground, spacing, from.y >= ground)) from.y = ground;
    float y = from.y + green.y * distance_to_ground(from, green, extent, ground_under(entry));
#if BODIES
    int body;
    float met = body_hit(from, green, (y - from.y) / green.y, body);
    float aside = 4.0 * spacing;    // farther apart than rays of one triangle are, wherever light is bright enough to tell
    float share_met = body < 0 ? 1.0 : clamp(met * green.y / min(y - from.y, -1e-6), 0.0, 1.0);
    float near = bodies_within(from, green, aside) ? 2.0 + share_met : float(bodies_within(from, towards_sun, aside));
#else
    const float near = 0.0;
#endif
    // Thin foam lets through what it does not send back (foam.glsl).
    lit *= 1.0 - FOAM_SHADE * smoothstep(0.0, 0.3, here.foam) * here.foam * foam_carried(from.y - ground);
    // Light through one square metre of the map: facets that face the sun catch more. Flats under very thin water are lit, too.
    lit *= cosine / (normal.y * towards_sun.y) * smoothstep(-0.01 * mean_depth, -1e-4 * mean_depth, from.y - ground);
    vec2 there = landed(from, green, y);
    vec2 outwards = rim * (node - there);   // light that lands there has entered as far beyond the mesh
    green_source = vec4(there + outwards, map_place(entry) + outwards);
    share = vec4(lit, from.y, y, near);
#if DISPERSION
    parted = landed(from, refract(-towards_sun, normal, INDICES.r), y) - landed(from, refract(-towards_sun, normal, INDICES.b), y);
#endif
}
