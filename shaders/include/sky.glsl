// The sky in its map, which waterview/render/atmosphere.py fills, and the floor that the block stands on.
#include "view.glsl"

uniform sampler2D sky_map;

const float FLOOR_REACH = 3.0;  // of the floor map from the block's middle, in units of the longer side

// Light of the floor that the block stands on, where it sees these shares of sun and sky.
vec3 floor_radiance(float sun_seen, float sky_seen) {
    vec3 sky = sky_light[0].rgb + sky_light[2].rgb;
    return vec3(0.026, 0.032, 0.042) * (sun_light * (towards_sun.y * sun_seen / PI) + sky * sky_seen);
}

// Texture coordinate of a direction in the sky map: an octahedral map of the upper hemisphere.
vec2 sky_uv(vec3 direction) {
    vec3 d = vec3(direction.x, max(direction.y, 0.0), direction.z);
    vec2 p = d.xz / (abs(d.x) + d.y + abs(d.z));
    return 0.5 + 0.5 * vec2(p.x + p.y, p.x - p.y);
}

// The inverse of `sky_uv`.
vec3 sky_direction(vec2 uv) {
    vec2 q = 2.0 * uv - 1.0;
    vec2 p = 0.5 * vec2(q.x + q.y, q.x - q.y);
    return normalize(vec3(p.x, 1.0 - abs(p.x) - abs(p.y), p.y));
}
