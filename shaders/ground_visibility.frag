#version 330
// Shares of sun and sky that each point of ground or still water sees, and of the sun that reaches ground under water past other
// ground there. Baked once per terrain and sun.
#include "land.glsl"

in vec2 uv;
out vec4 colour;

const int SUN_STEPS = 40;
const int DIRECTIONS = 12;
const int SKY_STEPS = 7;
const float INDEX = 1.333;  // refractive index of water

bool outside(vec2 xz) {
    return any(lessThan(xz, box_low.xz)) || any(greaterThan(xz, box_high.xz));
}

// Share of the sun's disk that a point sees past the ground towards it, up to the height `top`; nothing is taken to lie lower than `lowest`.
// The first step is `first` cells long. Shadows are sharp near what throws them and soft far away: by `spread` of the distance.
float sun_past_ground(vec3 from, vec3 towards, float top, float lowest, float first, float spread) {
    float flat_length = max(length(towards.xz), 1e-4);
    float rise = towards.y / flat_length;
    float reach = min((top - from.y) / max(rise, 1e-3), 1.5 * extent);
    vec2 along = towards.xz / flat_length;
    float seen = 1.0;
    for (int i = 1; i <= SUN_STEPS; ++i) {
        float share = float(i) / float(SUN_STEPS);
        float far = max(reach * share * share, first * grid_spacing * float(i));
        vec2 xz = from.xz + along * far;
        if (far > reach || outside(xz)) break;
        float ground = max(land_height(xz), lowest);
        seen = min(seen, 0.5 + (from.y + far * rise - ground) / (spread * far + 0.3 * grid_spacing));
    }
    return smoothstep(0.0, 1.0, seen);
}

// The sun counts as a disk of a few degrees.
float sun_seen(vec3 from) {
    return sun_past_ground(from, towards_sun, box_high.y, water_level, 1.2, 0.07);
}

// The same for a point of ground under still water, as far as the surface. The caustic map tells what is above that, but not what is in
// the water: a place in it stands for a whole ray. Where the ray comes out of dry ground, no light is in the map, but for what waves
// throw into the shade. Waves make the sun's disk wider, too.
float sun_seen_in_water(vec3 from) {
    vec2 there = from.xz - refracted_sun.xz / refracted_sun.y * (from.y - water_level);
    float dry = outside(there) ? 0.0 : smoothstep(-0.02 * mean_depth, 0.0, land_height(there) - water_level);
    return mix(sun_past_ground(from, -refracted_sun, water_level, -1e30, 0.7, 0.12), 1.0, dry);
}

// Share of the sky that a point of ground or still water sees, and that of what comes through still water to ground under it, which sees
// all of the sky within Snell's window, so that other ground hides nothing until it rises by more than 41 degrees.
vec2 sky_seen(vec3 from) {
    vec2 open = vec2(0.0);
    float bed = land_height(from.xz);
    for (int i = 0; i < DIRECTIONS; ++i) {
        float angle = 6.2831853 * (float(i) + 0.5) / float(DIRECTIONS);
        vec2 along = vec2(cos(angle), sin(angle));
        vec2 steepest = vec2(0.0);
        for (int j = 0; j < SKY_STEPS; ++j) {
            float far = 0.12 * extent * exp2(float(j - SKY_STEPS + 1) * 0.8);
            vec2 xz = from.xz + along * far;
            if (outside(xz)) break;
            float ground = land_height(xz);
            steepest = max(steepest, (vec2(max(ground, water_level), min(ground, water_level)) - vec2(from.y, bed)) / far);
        }
        // Cosine-weighted share of the sky above the horizon angle h of this direction: cos^2 h.
        open += min(vec2(1.0, INDEX * INDEX) / (1.0 + steepest * steepest), 1.0);
    }
    return open / float(DIRECTIONS);
}

void main() {
    vec2 xz = mix(box_low.xz, box_high.xz, uv);
    vec3 ground = vec3(xz.x, land_height(xz), xz.y);
    vec3 from = vec3(xz.x, max(ground.y, water_level), xz.y);   // on the ground, or on still water above it
    vec2 sky = sky_seen(from);
    colour = vec4(sun_seen(from), sky.x, sun_seen_in_water(ground), sky.y);
}
