// Light of the ground under the sea around the block.
#include "ground_beyond.glsl"
#include "ground.glsl"
#include "ground_materials.glsl"

// Light of the ground under the sea at a point of it, in the block or beyond it: beside the block as at its side. Farther out that
// would be drawn out to stripes, so the ground becomes the usual one of its depth, at once where land is cut off.
vec3 lit_sea_ground(vec3 point, vec3 ray, float width) {
    float out_there = distance_outside(point.xz);
    vec2 at_side = clamp(point.xz, box_low.xz + 2.0 * edge_inset, box_high.xz - 2.0 * edge_inset);
    float cut = out_there > 0.0 ? smoothstep(0.0, 0.2 * mean_depth, bed_at(at_side) - water_level) : 0.0;
    float own = (1.0 - cut) * exp(-out_there / (0.02 * extent));
#if POOL
    vec3 albedo = vec3(0.40, 0.58, 0.65);
#else
    vec3 albedo = wetted(under_water(water_level - point.y, 0.0, 0.0, vec3(0.0)), 0.0, 1.0);
#endif
    vec3 usual = lit_in_water(point, vec3(0.0, 1.0, 0.0), albedo, 1.0, vec3(1.0));
#if POOL
    usual += albedo * light_mirrored(water_level - point.y, vec3(0.0, 1.0, 0.0));
#endif
    if (own < 0.01) return usual;
    point.xz = at_side;
    return mix(usual, ground_in_water(point, ray, max(width, 0.1 * out_there)), own);
}

// Light of land that is cut off at the block's side, at a point of it under water.
vec3 lit_cut(vec3 point) {
#if POOL
    vec3 albedo = vec3(0.27, 0.265, 0.255);
#else
    vec3 albedo = vec3(0.220, 0.169, 0.125);
#endif
    return lit_in_water(point, side_normal(point), albedo, 0.7, vec3(1.0));
}
