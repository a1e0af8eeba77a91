// The block that a scene fills: height of its ground, and its four cut sides.
#include "view.glsl"

// r height of the ground [m], g share of the sun that reaches it or still water above it, ba radii of a cone and of a
// cylinder on it that are free of ground [m] (render/ground/free_space.py)
uniform sampler2D bed;

// What `bed` tells of the ground at world xz.
vec4 ground_under(vec2 xz) {
    return textureLod(bed, field_uv(xz), 0.0);
}

// Height of the ground at world xz [m].
float bed_at(vec2 xz) {
    return ground_under(xz).r;
}

// Depth of water, at a distance from the eye, from which on it looks like water and not like wet ground [m]. Near the eye a narrow
// strip along the shore is enough for one to become the other.
float film_depth(float far) {
    return min(0.012 * mean_depth + 0.0002 * grain_extent, 0.1 + 20.0 * pixel_width(far));
}

// Significant height of the waves too short for the grid, which lap at beaches [m]: what the wind raises over the block's length
// (Hasselmann et al. 1973), at most that of a full-grown sea (Pierson and Moskowitz 1964). Where no wind is known, it is that of the drawn
// ripples (ripples.glsl), at most what a moderate breeze raises. Waves of less than a centimetre do not foam.
float lapping_height() {
    float wind = wind_or_breeze();
    float raised = wind * min(0.0016 * sqrt(extent * sea_scale / GRAVITY), 0.0214 * wind * sea_scale);
    raised = min(raised, sea_known > 0.0 ? raised : 2.1e-4 * grain_extent);
    return raised * smoothstep(0.01, 0.03, raised / sea_scale);
}

// Depth in which they break: their height over 0.78 (McCowan 1894) [m].
float surf_depth() {
    return lapping_height() / 0.78;
}

// Whether the mirrored camera, which looks up from under still water, sees a point through land from below. No water mirrors it so, and
// beside the foot of that land it would be taken for what is mirrored there. Banks lower than a fifth of a cell, or than 2 m, count as
// water: shores are known no better.
bool seen_through_land(vec3 point) {
    vec2 crossed = mix(eye, point, (water_level - eye.y) / max(point.y - eye.y, 1e-6)).xz;
    bool within = crossed == clamp(crossed, box_low.xz, box_high.xz);
    return eye.y < water_level && within && bed_at(crossed) > water_level + min(0.2 * grid_spacing, 2.0);
}

// How far a place is from the block [m].
float distance_outside(vec2 xz) {
    return length(xz - clamp(xz, box_low.xz, box_high.xz));
}

// Outward unit normal of the side that is nearest to a point.
vec3 side_normal(vec3 point) {
    vec2 gap = min(point.xz - box_low.xz, box_high.xz - point.xz);
    float across = step(gap.x, gap.y);      // 1 for a side across x, 0 for one across z
    vec2 outward = sign(2.0 * point.xz - box_low.xz - box_high.xz);
    return vec3(outward.x * across, 0.0, outward.y * (1.0 - across));
}
