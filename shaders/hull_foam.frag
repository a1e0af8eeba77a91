#version 330
// Foam along the line where the hull of a moving body meets the water (added): a wake behind it, a bow wave that breaks
// where the hull pushes water aside, and little where it slides along it.
#include "surface.glsl"
#include "bodies.glsl"

in vec2 xz;
flat in float amount;
flat in vec3 hull;      // as in hull_foam.vert
flat in vec3 motion;
layout(location = 0) out vec4 waves;    // a foam that grows
layout(location = 1) out vec4 drift;    // rg velocity that the surface takes on [m/s], premultiplied by a, the share to which it does
layout(location = 2) out vec4 wake;     // g foam of a turbulent wake
uniform float elapsed;                  // time since the frame before [s]

const float ASTERN = 3.0;   // foam where the hull faces backwards, against what it is given
const float SIDES = 0.04;   // sideways
const float BOW = 2.5;      // forwards, times g/v: in the time in which a wave rises that breaks there
const float BLUFF = 0.16;   // share of that which a flat bow makes: it pushes the water before it, and throws little aside
const float THROWN = 0.6;   // how far a bow wave throws its foam, against the height to which it rises
const float WIDEST = 0.1;   // most of that, as a share of the hull's length
const float ASIDE = 3.0;    // and how far it sets water in motion, against how far it throws foam

// Distance of the water's surface at a place from the hull [m].
float from_hull(vec2 xz) {
    vec2 at = xz + displacement_at(xz);
    return distance_from_body(int(hull.x + 0.5), vec3(at.x, water_level + water_height(xz), at.y));
}

void main() {
    float away = from_hull(xz);
    float least = hull.y, widest = WIDEST * hull.z;
    // The map's pixels lie along x and z. Where the distance changes most the hull faces.
    vec2 outwards = vec2(dFdx(away), dFdy(away));
    outwards /= max(length(outwards), 1e-6);
    float ahead = dot(outwards, motion.xy);
    // By the square: water parts from a transom, and follows sides that taper.
    float foam = mix(SIDES, ahead > 0.0 ? 0.0 : ASTERN, ahead * ahead);
    foam *= 1.0 - smoothstep(0.0, 2.0 * least, max(2.0 * away, -away));
    wake = vec4(0.0, amount * foam, 0.0, 0.0);     // not what the bow throws aside: it breaks as any wave, over clear water
    drift = vec4(0.0, 0.0, 0.0, step(away, 0.0));   // below the hull water stays where it is
    if (ahead > 0.0 && away > -2.0 * least && away < ASIDE * max(widest, least)) {
        // What counts is how the hull faces where it meets the water, not a place off a corner of it. Differences are taken
        // inwards: outside of a corner they would not tell its two sides apart.
        vec2 foot = xz - (away + 0.5 * least) * outwards;
        vec2 inwards = -0.1 * least * sign(outwards);
        outwards = from_hull(foot) - vec2(from_hull(foot + vec2(inwards.x, 0.0)), from_hull(foot + vec2(0.0, inwards.y)));
        outwards *= -sign(inwards);
        outwards /= max(length(outwards), 1e-6);
        ahead = max(dot(outwards, motion.xy), 0.0);
        vec2 aside = outwards - ahead * motion.xy;
        // A bow wave rises as high as the water's speed against the hull lets it, u²/2g.
        float inflow = motion.z * ahead;
        float head = inflow * inflow / (2.0 * GRAVITY);
        float wide = max(min(THROWN * head * length(aside), widest), least);
        float high = min(head / least, 1.0);
        float breaks = high * BOW * GRAVITY / motion.z * ahead * mix(BLUFF, 1.0, 2.0 * ahead * length(aside));
        foam += breaks * (1.0 - smoothstep(0.0, 2.0 * wide, 2.0 * max(away, -2.0 * away)));
        // It sets water in motion, by this share in 1/30 s.
        float share = 1.0 - pow(1.0 - high * (1.0 - smoothstep(0.0, ASIDE * wide, away)), 30.0 * elapsed);
        if (away > 0.0) drift = vec4(share * inflow * aside, 0.0, share);
    }
    waves = vec4(0.0, 0.0, 0.0, amount * foam);
}
