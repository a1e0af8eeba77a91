// The sky in its map, which waterview/render/atmosphere.py fills, and the floor that the block stands on.
#include "view.glsl"

uniform sampler2D sky_map;      // a the share of sunlight that passes the clouds there

#if CLOUDS
float sun_share = 1.0;          // of the sunlight above the clouds, at what this pixel shows; set by main
#undef sun_light
#define sun_light (sun_share * sun_irradiance.rgb)
#endif

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

// Sky in a direction, at a mipmap level of its map.
vec4 sky_at(vec3 direction, float level) {
#if CLOUDS
    direction.xz -= max(direction.y, 0.0) * cloud_drift;
#endif
    return textureLod(sky_map, sky_uv(direction), level);
}

// Light of the air before things in a direction. It has no clouds in it: it is that of the sky at the horizon, a little blurred.
// Coarser mipmap levels hold light from high above the horizon.
vec3 air_before(vec3 ray) {
#if CLOUDS
    return sky_at(vec3(ray.x, 0.0, ray.z), 2.0).rgb;
#else
    return sky_at(ray, 0.0).rgb;
#endif
}

// Light along a unit ray that meets the floor `far` metres on, where it sees these shares of sun and sky. Air before the floor
// shines like the sky behind it only towards the horizon; looking down, like the mean of the sky.
vec3 floor_along(vec3 ray, float far, vec2 seen) {
    float level = 1.0 + min(ray.y, 0.0);
    level *= level;
    vec3 air = mix(textureLod(sky_map, vec2(0.5), 16.0).rgb, air_before(ray), level * level * level * level);
    return mix(air, floor_radiance(seen.r, seen.g), exp(-far / (15.0 * extent)));
}

// Dims the sunlight of this pixel as the clouds do towards the sun from a point. A shadow is as soft as the sun is wide.
void go_under_clouds(vec3 point) {
#if CLOUDS
    sun_share = sky_at(towards_sun * cloud_height / towards_sun.y + vec3(point.x, 0.0, point.z), 1.0).a;
#endif
}

// Light of so much air along a unit ray that nothing else is seen: at and above the horizon the sky's, down below it the mean of
// the sky. Sunlight is scattered forwards, and the glow around a low sun would be a wedge that begins below the eye.
vec3 air_light(vec3 ray) {
    float level = 1.0 - min(ray.y, 0.0) * min(ray.y, 0.0);
    level *= level;
    return mix(sky_light[0].rgb + sky_light[2].rgb, air_before(ray), level * level);
}

// Light of a surface `far` metres along a unit ray, after the air between (Koschmieder 1924). For an eye mirrored at the water
// only the way beyond the water counts; the rest is that of the water.
vec3 through_air(vec3 light, vec3 ray, float far) {
#if AIR
    float begins = eye.y < water_level ? (water_level - eye.y) / max(ray.y, 1e-3) : air_begins;
    light = mix(air_light(ray), light, exp(-air_dimming * max(far - begins, 0.0)));
#endif
    return light;
}

// The inverse of `sky_uv`.
vec3 sky_direction(vec2 uv) {
    vec2 q = 2.0 * uv - 1.0;
    vec2 p = 0.5 * vec2(q.x + q.y, q.x - q.y);
    return normalize(vec3(p.x, 1.0 - abs(p.x) - abs(p.y), p.y));
}
