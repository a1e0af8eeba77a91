// The ground under the sea around the block: nobody knows it.
#include "block.glsl"
#include "ground.glsl"
#include "ground_materials.glsl"

// Height of the ground at the block's side that lies at xz, or how deep it is around the block where land is cut off there: only
// the foot of a beach runs out into the sea, not a hill.
float shoal_at(vec2 xz, float around) {
    float at_side = bed_at(clamp(xz, box_low.xz + 2.0 * edge_inset, box_high.xz - 2.0 * edge_inset));
    return mix(at_side, around, smoothstep(0.0, 0.5 * mean_depth, at_side - water_level));
}

// Height of the ground beyond the block: beside it as at its side, blurred more and more, but always under water, and
// farther away as deep as it is in the mean.
float ground_beyond(vec2 xz) {
    float out_there = distance_outside(xz);
    vec2 aside = vec2(0.6 * out_there, 0.0);
    float far = water_level - depth_around;
    float shoal = 0.25 * (shoal_at(xz + aside, far) + shoal_at(xz - aside, far)
                          + shoal_at(xz + aside.yx, far) + shoal_at(xz - aside.yx, far));
    return min(mix(far, shoal, exp(-out_there / (0.12 * extent))), water_level - 0.05 * mean_depth);
}

// Distance along a unit ray that goes down to the ground beyond the block, at most `farthest`, found by a few looks from a first
// guess. The ground is taken to lie lower by `sunk`.
float distance_beyond(vec3 from, vec3 ray, float path, float farthest, float sunk, int looks) {
    for (int i = 0; i < looks; ++i) {
        // Before a hill that is higher than `from`: the ray ends in its slope.
        float above = from.y + sunk - ground_beyond(from.xz + path * ray.xz);
        path = min(above > 0.0 ? above / max(-ray.y, 1e-3) : 0.5 * path, farthest);
    }
    return path;
}

// Distance along a unit ray from a point in the block to the ground there or, if it leaves the block before, beyond it: there the
// ground does not go on as it is at the side, and nor does it for rays that begin beyond. Elsewhere the looks cost nothing.
float distance_to_sea_ground(vec3 from, vec3 ray) {
    float path = distance_to_ground(from, ray, 1e3 * extent);
    bool leaves = distance_outside(from.xz + path * ray.xz) > 0.0;
    return distance_beyond(from, ray, path, 2e3 * extent, 0.0, leaves ? 2 : 0);
}

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
    if (own < 0.01) return usual;
    point.xz = at_side;
    return mix(usual, ground_in_water(point, ray, max(width, 0.1 * out_there)), own);
}

// Distance from a point beyond the block along a unit ray to land that is cut off at the block's side; very long if it meets none.
float distance_to_cut(vec3 from, vec3 ray) {
    vec2 along = ray.xz + vec2(1e-6) * (2.0 * step(0.0, ray.xz) - 1.0);
    vec2 near = (mix(box_high.xz, box_low.xz, step(0.0, along)) - from.xz) / along;
    float path = max(near.x, near.y);
    vec3 met = from + path * ray;
    if (path <= 0.0 || distance_outside(met.xz) > 1e-3 * extent) return 1e6 * extent;
    // The foot of a beach is not cut off: it runs out into the sea.
    return bed_at(met.xz) > max(met.y, ground_beyond(met.xz) + 0.1 * mean_depth) ? path : 1e6 * extent;
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
