// Light on matte surfaces, above and below water.
#include "view.glsl"

uniform sampler2D light_map;    // rgb sunlight in the water relative to that under still water, a what shades (see below)

// Absorption of daylight on its way down, as a share of that of a straight ray: scattered light goes on down as well.
const float DOWNWARD = 0.65;

// Share of daylight, by colour, that is left `depth` metres under still water.
vec3 daylight_under_water(float depth) {
    return exp(-DOWNWARD * absorption.rgb * max(depth, 0.0));
}

// Light of sky and surroundings on a surface with this normal (unit): irradiance over pi.
vec3 sky_on(vec3 normal) {
    return max(sky_light[0].rgb + normal.x * sky_light[1].rgb + normal.y * sky_light[2].rgb + normal.z * sky_light[3].rgb,
               vec3(0.0));
}

// Ground that is wet to a share of 0-1: darker, as water in its pores keeps light from coming back.
vec3 wetted(vec3 albedo, float wet) {
    return albedo * mix(vec3(1.0), 0.45 + 0.25 * albedo, wet);
}

// What the light map holds for a point: points along one ray of the sun, in air and then in still water, share a texel.
// `width` is that of what is looked at [m].
vec4 sunbeam(vec3 point, float width) {
    float above = point.y - box_low.w;
    vec2 along = above > 0.0 ? sun.xz / sun.y : sunk.xz / sunk.y;
    vec2 uv = (point.xz - along * above - lit_area.xy) * lit_area.zw;
    return textureLod(light_map, uv, mipmap(log2(width * lit_area.z * float(textureSize(light_map, 0).x))));
}

// Share of a sunbeam that passes what floats in its way; `a` of the light map is the height of its top above still
// water, as a share of the scene's longer side.
float unshaded(vec4 beam, vec3 point) {
    return 1.0 - smoothstep(0.001, 0.004, beam.a - (point.y - box_low.w) / forward.w);
}

// Light of a surface in air with this normal (unit) and albedo, and shares of the sun and of the sky seen.
vec3 lit_above(vec3 normal, vec3 albedo, float sun_seen, float sky_seen) {
    return albedo * (sun_light.rgb * (max(dot(normal, sun.xyz), 0.0) * sun_seen / PI) + sky_on(normal) * sky_seen);
}

// Light of a surface in the water at `point`.
vec3 lit_below(vec3 point, vec3 normal, vec3 albedo, float sky_seen, float width) {
    vec4 beam = sunbeam(point, width);
    float depth = box_low.w - point.y;
    float facing = max(-dot(normal, sunk.xyz), 0.0) / -sunk.y;
    vec3 direct = sun_light.rgb * (sun.y * sunk.w / PI * facing) * beam.rgb;
#if BODIES
    direct *= unshaded(beam, point);
#endif
    vec3 far = exp(DOWNWARD / sunk.y * absorption.rgb * max(depth, 0.0));
    return albedo * (direct * far + sky_on(normal) * sky_seen * daylight_under_water(depth));
}
