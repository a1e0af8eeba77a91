#version 330
// Foam along the line where the hull of a moving body meets the water (added).
#include "surface.glsl"
#include "bodies.glsl"

in vec2 xz;
flat in float amount;
flat in vec2 hull;
out vec4 waves;

void main() {
    vec2 at = xz + displacement_at(xz);
    float away = distance_from_body(int(hull.x + 0.5), vec3(at.x, water_level + water_height(xz), at.y));
    waves = vec4(0.0, 0.0, 0.0, amount * (1.0 - smoothstep(0.0, 2.0 * hull.y, abs(away))));
}
