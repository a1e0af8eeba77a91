#version 330
// One step of spray and bubbles. Drops fly and land as foam; some of them drag bubbles down, which rise again. A
// particle at rest looks for a place where foam has just been born, or, if it is spindrift, where foam lies on a crest,
// and is thrown up there.
#include "surface.glsl"
#include "spray.glsl"

uniform sampler2D bed;              // r height of the ground
uniform sampler2D waves;            // rg slope
uniform sampler2D births;           // rg a place in each cell, ba foam born and torn off (spray_births.frag)
uniform int levels;                 // of their mipmaps, above the finest
uniform float elapsed;              // [s]
uniform int moment;                 // number of the step, for random numbers
uniform int count;                  // of the particles; behind the last there is one that is always at rest
uniform vec2 wind;                  // velocity of the wind [m/s]

in vec4 in_place;       // xyz position, w state (below)
in vec4 in_motion;      // xyz velocity [m/s], w seconds left
out vec4 out_place;
out vec4 out_motion;
flat out uint out_drawn;    // its own number, or that of the particle that is always at rest

const float STEEP = 0.004;  // height of a wave as steep as 1 [scene's sides]
const float FINE_DRAG = 5.0;        // on spindrift, which falls at 2 m/s and takes the wind's speed within a fifth of a second
const float THROWN = 125.0; // share of the particles at rest that are thrown up, for each unit of mean growth
const float EDDIES = 0.09;  // most speed at which eddies carry spindrift up, as a share of the wind: √3 deviations
const float ASIDE = 0.3;    // how far apart drops begin that find the same place [cells]
const float RESTING = 0.0;
const float DROP = 1.0;
const float BUBBLE = 2.0;
const float LANDED = 3.0;   // for one step, in which it leaves foam

// A place where foam is born or torn off, by these shares of the two: its share of the way across the block. From the
// mean of the whole map down one of four cells is chosen, with a probability that follows its mean.
vec2 breaking_place(vec2 random, vec2 kinds) {
    ivec2 cell = ivec2(0);
    for (int level = levels - 1; level >= 0; --level) {
        cell *= 2;
        vec4 born;
        for (int i = 0; i < 4; ++i) born[i] = dot(kinds, texelFetch(births, cell + ivec2(i & 1, i >> 1), level).ba);
        float at = random.x * dot(born, vec4(1.0));
        int chosen = 0;
        while (chosen < 3 && at >= born[chosen]) at -= born[chosen++];
        random.x = clamp(at / max(born[chosen], 1e-9), 0.0, 1.0);     // as even as before
        cell += ivec2(chosen & 1, chosen >> 1);
    }
    // Others may find the same place.
    return texelFetch(births, cell, 0).rg + ASIDE * (random - 0.5) / float(1 << levels);
}

// Throws up a drop, with a probability that follows how much foam is born or torn off in the whole block.
void spawn(vec4 random) {
    vec2 kinds = vec2(1.0, is_spindrift(gl_VertexID));
    if (random.z >= THROWN * dot(kinds, texelFetch(births, ivec2(0), levels).ba)) return;
    vec2 place = breaking_place(random.xy, kinds);
    vec2 displacement;
    vec3 at = surface_point(place, displacement);
    vec2 slope = textureLod(waves, field_uv(water_place(place)), 0.0).rg;
    vec4 more = random4(uint(gl_VertexID) + 77u, uint(moment));
    // The highest drops rise about as high as the wave that breaks, judged by its height or its steepness, and by the depth of the
    // water, which is little where a wave runs up a beach. Most stay low.
    float high = max(at.y - water_level, STEEP * extent * length(slope));
    float depth = max(at.y - textureLod(bed, field_uv(at.xz), 0.0).r, 1e-4);
    high = clamp(high, 0.0, depth);
    // They leave as fast as the water of a crest goes on, as waves that are long against the depth have it. In deep water that is too slow.
    float runs = high * sqrt(GRAVITY / depth);
    float speed = sqrt(2.0 * GRAVITY * high * (0.1 + 1.2 * random.w * random.w));
    vec2 ahead = slope / max(length(slope), 1e-4) + 0.8 * (more.xy - 0.5);
    vec3 velocity = vec3(runs * ahead.x, speed * (0.6 + 0.5 * more.z), runs * ahead.y);
    // Somewhen in this step.
    float flown = more.w * elapsed;
    out_place = vec4(at + flown * (velocity - vec3(0.0, 0.5 * GRAVITY * flown, 0.0)), DROP);
    out_motion = vec4(velocity - vec3(0.0, GRAVITY * flown, 0.0), FLIGHT - flown);
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
    bool fine = is_spindrift(gl_VertexID);
    if (kind == DROP && inside && left > (fine ? FLIGHT - BLOWN : 0.0)) {
        at.y -= 0.5 * GRAVITY * elapsed * elapsed;
        velocity.y -= GRAVITY * elapsed;
        vec3 air = fine ? vec3(wind.x, EDDIES * length(wind) * random4(uint(gl_VertexID), 0u).y, wind.y) : vec3(0.0);
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
