#version 330
// One step of spray and bubbles. Drops fly and land as foam; some of them drag bubbles down, which rise again. A particle at
// rest looks for a place where foam has just been born and is thrown up there.
#include "surface.glsl"
#include "spray.glsl"

uniform sampler2D bed;              // r height of the ground
uniform sampler2D waves;            // rg slope
uniform sampler2D births;           // rg a place in each cell of the block, b foam born there (spray_births.frag)
uniform float elapsed;              // [s]
uniform int moment;                 // number of the step, for random numbers
uniform int count;                  // of the particles; behind the last there is one that is always at rest
uniform vec2 wind;                  // velocity of the wind [m/s]

in vec4 in_place;       // xyz position, w state (below)
in vec4 in_motion;      // xyz velocity [m/s], w seconds left
out vec4 out_place;
out vec4 out_motion;
flat out uint out_drawn;    // its own number, or that of the particle that is always at rest

const float DRAG = 1.5;     // of the air on spray [1/s]
const float FINE_DRAG = 5.0;        // on spindrift, which falls at 2 m/s and takes the wind's speed within a fifth of a second
const float ASIDE = 0.3;    // how far apart drops begin that find the same place [cells]
const float RESTING = 0.0;
const float DROP = 1.0;
const float BUBBLE = 2.0;
const float LANDED = 3.0;   // for one step, in which it leaves foam

// The place, of a few random ones, where foam grows most: its share of the way across the block, and the growth. If it grows
// nowhere, this is always the same place: software OpenGL looks it up in all maps nonetheless, which then takes a third as long.
vec3 breaking_place(vec2 first) {
    vec3 best = vec3(0.5, 0.5, 0.0);
    vec2 cells = vec2(textureSize(births, 0));
    for (int i = 0; i < 6; ++i) {
        // A Kronecker sequence spreads the tries evenly.
        vec2 cell = cells * fract(first + float(i) * vec2(0.7549, 0.5698));
        vec3 found = texelFetch(births, ivec2(cell), 0).rgb;
        // Others may find the same place.
        if (found.z > best.z) best = vec3(found.xy + ASIDE * (fract(cell) - 0.5) / cells, found.z);
    }
    return best;
}

// Throws up a drop where foam has just been born, with a probability that follows the growth.
void spawn(vec4 random) {
    vec3 place = breaking_place(random.xy);
    if (random.z >= 90.0 * place.z) return;
    vec2 displacement;
    vec3 at = surface_point(place.xy, displacement);
    vec2 slope = textureLod(waves, field_uv(water_place(place.xy)), 0.0).rg;
    vec4 more = random4(uint(gl_VertexID) + 77u, uint(moment));
    // The highest drops rise about as high as the wave that breaks, judged by its height or its steepness, and by the depth of the
    // water, which is little where a wave runs up a beach. Most stay low.
    float high = max(at.y - water_level, 0.012 * extent * length(slope));
    high = min(high, at.y - textureLod(bed, field_uv(at.xz), 0.0).r) * (0.1 + 1.2 * random.w * random.w);
    float speed = sqrt(2.0 * GRAVITY * max(high, 0.0));
    vec2 ahead = slope / max(length(slope), 1e-4) + 0.8 * (more.xy - 0.5);
    vec3 velocity = speed * vec3(0.5 * ahead.x, 0.6 + 0.5 * more.z, 0.5 * ahead.y);
    // Somewhen in this step.
    float flown = more.w * elapsed;
    out_place = vec4(at + flown * (velocity - vec3(0.0, 0.5 * GRAVITY * flown, 0.0)), DROP);
    out_motion = vec4(velocity - vec3(0.0, GRAVITY * flown, 0.0), 4.0 - flown);
}

void main() {
    vec4 random = random4(uint(gl_VertexID), uint(moment));
    float kind = in_place.w;
    vec3 velocity = in_motion.xyz;
    vec3 at = in_place.xyz + elapsed * velocity;
    float left = in_motion.w - elapsed;
    out_place = vec4(in_place.xyz, RESTING);
    out_motion = vec4(0.0);
    float surface = water_level + water_height(at.xz);
    bool inside = block_uv(at.xz) == clamp(block_uv(at.xz), 0.0, 1.0);
    if (kind == DROP && inside && left > 0.0) {
        at.y -= 0.5 * GRAVITY * elapsed * elapsed;
        velocity.y -= GRAVITY * elapsed;
        bool fine = is_spindrift(gl_VertexID);
        vec3 air = fine ? vec3(wind.x, 0.0, wind.y) : vec3(0.0);
        velocity = mix(air, velocity, exp(-(fine ? FINE_DRAG : DRAG) * elapsed));
        bool down = at.y < surface && velocity.y < 0.0;
        out_place = vec4(at.x, down ? surface : at.y, at.z, down ? LANDED : DROP);
        out_motion = vec4(velocity, left);
    } else if (kind == LANDED && random.x < 0.5) {
        out_place = vec4(in_place.xyz, BUBBLE);
        out_motion = vec4(0.1 * velocity.x, 0.35 * velocity.y, 0.1 * velocity.z, 2.5);
    } else if (kind == BUBBLE && inside && left > 0.0 && at.y < surface) {
        // Water stops bubbles at once; they rise at a speed of their own.
        float rise = 0.02 * sqrt(GRAVITY * extent);
        velocity = mix(vec3(0.0, rise, 0.0), velocity, exp(-4.0 * elapsed));
        out_place = vec4(at, BUBBLE);
        out_motion = vec4(velocity, left);
    } else if (kind == RESTING) {
        spawn(random);
    }
    out_drawn = uint(out_place.w == DROP ? gl_VertexID : count);
}
