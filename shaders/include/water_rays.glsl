// Where rays in water end: at the ground, or at a cut side of the block.
#include "block.glsl"

// Distance from a point in the water along a unit ray to the block's sides.
float distance_to_side(vec3 from, vec3 ray) {
    vec3 wall = mix(box_low, vec3(box_high.x, water_level + 0.02 * extent, box_high.z), step(0.0, ray));
    vec3 far = (wall - from) / (ray + vec3(1e-6) * (2.0 * step(0.0, ray) - 1.0));
    return max(min(min(far.x, far.y), far.z), 0.0);
}

// Distance along a unit ray to the ground. Refracted rays from above are steep (STEEP_RAYS): each step goes to the depth found
// so far, until one is below the ground; then the root is enclosed and found by secants, kept away from the ends of the
// interval so that they do not creep along a steep wall. Rays through a cut side may be level and are marched.
float distance_to_ground(vec3 from, vec3 ray, float farthest) {
#if STEEP_RAYS
    float sink = max(-ray.y, 0.2);
    float above_near = max(from.y - bed_at(from.xz), 0.0);
    float near = 0.0;
    float far = -1.0;
    float above_far = 0.0;
    float path = above_near / sink;
    // No ray takes that many steps. But Mesa unrolls loops of up to 32 steps, and then every ray takes all of them.
    for (int i = 0; i < 40; ++i) {
        float above = from.y - sink * path - bed_at(from.xz + ray.xz * path);
        if (abs(above) < 0.003 * mean_depth) break;
        if (above > 0.0) {
            near = path;
            above_near = above;
        } else {
            far = path;
            above_far = above;
        }
        if (far >= 0.0 && far - near < 0.004 * mean_depth) break;
        float secant = clamp(above_near / max(above_near - above_far, 1e-9), 0.2, 0.8);
        path = far < 0.0 ? path + above / sink : mix(near, far, secant);
    }
    return path;
#else
    const int STEPS = 12;
    float stride = farthest / float(STEPS);
    float last = from.y - bed_at(from.xz);
    if (last <= 0.0) return 0.0;
    for (int i = 1; i <= STEPS; ++i) {
        vec3 at = from + ray * stride * float(i);
        float above = at.y - bed_at(at.xz);
        if (above <= 0.0) return stride * (float(i) - above / (above - last));
        last = above;
    }
    return 2.0 * farthest;
#endif
}
