// Where the ground under the sea around the block lies: nobody knows it.
#include "block.glsl"
#include "water_rays.glsl"

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
// guess, one at least. The ground is taken to lie lower by `sunk`.
float distance_beyond(vec3 from, vec3 ray, float path, float farthest, float sunk, int looks) {
    float down = max(-ray.y, 1e-3);
    float near = 0.0;
    float over = down * path;           // how high the ray is above the ground there
    float in_ground = 2.0 * farthest;   // where the ray is known to be under it
    float under = 0.0;
    int i = 0;
    do {
        float above = from.y + sunk - down * path - ground_beyond(from.xz + path * ray.xz);
        bool met = above < 0.0;
        over = met ? over : above;
        under = met ? above : under;
        near = met ? near : path;
        in_ground = met ? path : in_ground;
        // Until the ray has met the ground, that is taken to be level. Then it is taken to slope evenly to where it was met; but the
        // slope of a shoal is steepest at its top, and a ray that has gone deep into it would end far too near.
        float share = max(over / (over - under + 1e-6), 0.5);
        path = under < 0.0 ? mix(near, in_ground, share) : min(path + above / down, farthest);
    } while (++i < looks);
    return path;
}

// Distance along a unit ray from a point in the block to the ground there or, if it leaves the block before, beyond it: there the
// ground does not go on as it is at the side, and nor does it for rays that begin beyond.
float distance_to_sea_ground(vec3 from, vec3 ray, vec4 ground) {
    float path = distance_to_ground(from, ray, 1e3 * extent, ground);
    bool leaves = distance_outside(from.xz + path * ray.xz) > 0.0;
    float beyond = distance_beyond(from, ray, path, 2e3 * extent, 0.0, leaves ? 2 : 1);
    return leaves ? beyond : path;
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

// Distance from a point in the water beyond the block along a unit ray that goes down to the ground, which is taken to lie lower by
// `sunk`, or to land that is cut off at the block's side.
float distance_in_sea(vec3 from, vec3 ray, float sunk, out bool cut) {
    float to_cut = distance_to_cut(from, ray);
    float path = distance_beyond(from, ray, 0.0, to_cut, sunk, 3);
    cut = path >= to_cut;
    return path;
}

// How much lower than assumed the ground beyond the block lies for an eye in the water: it is in no ground.
float ground_sunk() {
    return max(ground_beyond(eye.xz) + 0.05 * mean_depth - eye.y, 0.0);
}
