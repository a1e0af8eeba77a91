#version 330
// Foam along the line where the hull of a moving body meets the water (added): a wake behind it, a thin line before it, and little
// at its sides.
#include "surface.glsl"
#include "bodies.glsl"

in vec2 xz;
flat in float amount;
flat in vec2 hull;
flat in vec2 course;
out vec4 waves;

const float ASTERN = 2.0;   // foam where the hull faces backwards, against what it is given
const float BOW = 0.8;      // forwards
const float SIDES = 0.1;    // sideways

void main() {
    vec2 at = xz + displacement_at(xz);
    float away = distance_from_body(int(hull.x + 0.5), vec3(at.x, water_level + water_height(xz), at.y));
    // The map's pixels lie along x and z. Where the distance changes most the hull faces.
    vec2 outwards = vec2(dFdx(away), dFdy(away));
    float ahead = dot(outwards, course) / max(length(outwards), 1e-6);
    float share = mix(SIDES, ahead > 0.0 ? BOW : ASTERN, abs(ahead));
    waves = vec4(0.0, 0.0, 0.0, amount * share * (1.0 - smoothstep(0.0, 2.0 * hull.y, max(2.0 * away, -away))));
}
