// Light on matte ground, above and below water. Needs view.glsl and sky.glsl.

// Absorption of daylight on its way down, as a share of that of a straight ray: scattered light goes on down as well.
const float DOWNWARD = 0.65;

// Share of daylight, by colour, that is left `depth` metres under still water.
vec3 daylight_under_water(float depth) {
    return exp(-DOWNWARD * absorption.rgb * max(depth, 0.0));
}

// Ground that is wet to a share of 0-1: darker, as water in its pores keeps light from coming back.
vec3 wetted(vec3 albedo, float wet) {
    return albedo * mix(vec3(1.0), 0.45 + 0.25 * albedo, wet);
}

// Radiance of ground with this normal (unit), albedo, and shares of the sun and of the sky seen.
vec3 lit_ground(vec3 normal, vec3 albedo, float sun_seen, float sky_seen) {
    vec3 direct = sun_light.rgb * (max(dot(normal, sun.xyz), 0.0) * sun_seen / PI);
    vec3 sky = textureLod(sky_map, sky_uv(normal), 5.0).rgb * (0.5 + 0.5 * normal.y);
    vec3 bounced = sun_light.rgb * sun.y * (0.18 / PI) * (0.5 - 0.5 * normal.y);
    return albedo * (direct + (sky + bounced) * sky_seen);
}
