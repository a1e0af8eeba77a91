#version 330
// One random place in each cell of the block, another one in each step, how much foam is born there, and how much of it
// the wind tears off. Particles at rest find their place by this map's mipmaps (spray_step.vert), so that drops fly
// where foam is born however small a part of the block that is. When each of them tried a few places, a breaker in a
// bay had hardly any spray.
#include "foam_motion.glsl"
#include "spray.glsl"

uniform sampler2D waves;            // a foam now
uniform sampler2D waves_before;     // a foam one step ago
uniform sampler2D drift;            // rg velocity of the surface, which carries foam [m/s]
uniform sampler2D heights;          // above still water [m]
uniform float elapsed;              // time since then [s]
uniform int moment;                 // number of the step, for random numbers
uniform float side;                 // cells along each side of the block

out vec4 birth;     // rg share of the way across the block, b growth of the foam, a what the wind tears off it

const float CALM = 0.4;     // growth in a second up to which foam comes without spray
const float BREAKS = 1.6;   // and that of waves that break
const float TORN = 6.0;     // what a storm tears off dense foam in a second, against as much that is born
const float GUST = 0.7;     // how long it tears at a place [s]
const float GUSTS = 4.0;    // how wide the place is [cells]: single cells would be tufts side by side. There are fewer than 1024 in a row
const vec2 CREST = vec2(0.0, 0.003);        // heights from which on water may be a crest, and is one [scene's sides]
const float AROUND = 0.005; // how far around a jet's foot foam is looked for [scene's sides]
const float DRIFT = 0.02;   // foam that grows by less in a step is not new: it has drifted there

void main() {
    vec2 cell = floor(gl_FragCoord.xy);
    vec4 random = random4(uint(cell.x + side * cell.y) + 1000003u, uint(moment));
    vec2 share = (cell + random.xy) / side;
    vec2 uv = field_uv(mix(box_low.xz, box_high.xz, share));
    ivec2 texel = ivec2(uv * vec2(textureSize(waves, 0)));
    float dense = texelFetch(waves, texel, 0).a;
    // Thin foam is born where a wave is only about to break, and foam that grows slowly comes without a splash.
    float before = texelFetch(waves_before, texel, 0).a;
#if BODIES
    // What runs aside from a bow is not new, either.
    vec2 middle = (vec2(texel) + 0.5) / vec2(textureSize(waves, 0));
    before = max(before, carried_foam(waves_before, middle, textureLod(drift, middle, 0.0).rg, elapsed));
#endif
    float grown = dense - before - DRIFT;
    // Waves that break have foam over some metres. Over a few flecks of it puffs would be loose flakes.
    vec2 aside = field_uv(box_low.xz + AROUND * extent) - field_uv(box_low.xz);
    float around = 0.0;
    for (int i = 0; i < 4; ++i) {
        vec2 corner = vec2(i & 1, i >> 1) * 2.0 - 1.0;
        around += 0.25 * textureLod(waves, uv + corner * aside, 0.0).a;
    }
    float born = grown * smoothstep(0.2, 0.5, dense) * smoothstep(0.1, 0.25, around) * smoothstep(CALM, BREAKS, grown / elapsed);
    // The wind goes on tearing at dense foam as long as it lies on a crest.
    float crest = smoothstep(CREST.x * extent, CREST.y * extent, textureLod(heights, uv, 0.0).r);
    // It comes in gusts with soft edges, a third of the time at each place: what it tears off are sheets with gaps between them.
    uvec2 place = uvec2(cell / GUSTS + random.zw);
    float gust = random4(place.x + 1024u * place.y, uint(time / GUST + random4(place.x, place.y).x)).x;
    gust = 3.0 * smoothstep(0.5, 0.83, gust);
    float blown = torn * TORN * elapsed * gust * crest * smoothstep(0.6, 1.0, dense) * smoothstep(0.4, 0.8, around);
    birth = vec4(share, max(born, 0.0), blown);
}
