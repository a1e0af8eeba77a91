// Where rays in water end: at the ground or at a cut side of the block.
#include "block.glsl"

// Way from a point in the water along a unit ray until it leaves the block.
float way_out(vec3 from, vec3 ray) {
    vec3 wall = mix(box_low.xyz, vec3(box_high.x, box_low.w + 0.02 * forward.w, box_high.z), step(0.0, ray));
    vec3 far = (wall - from) / (ray + vec3(1e-6) * (2.0 * step(0.0, ray) - 1.0));
    return max(min(min(far.x, far.y), far.z), 0.0);
}

// Way along a unit ray to the ground. Rays from above are steep once they are in the water: they step to the depth
// found so far, and once they are below ground take secants that keep off the ends of what is left, or they would creep
// along a steep wall. Rays through a cut side may be level and are marched.
float way_to_ground(vec3 from, vec3 ray, float farthest) {
#if STEEP
    float sink = max(-ray.y, 0.2);
    float above_near = max(from.y - bed_at(from.xz), 0.0);
    float near = 0.0;
    float far = -1.0;
    float above_far = 0.0;
    float way = above_near / sink;
    // No ray takes as many steps, but Mesa unrolls loops of up to 32, and then all rays take all of them.
    for (int i = 0; i < 40; ++i) {
        float above = from.y - sink * way - bed_at(from.xz + ray.xz * way);
        if (abs(above) < 0.003 * absorption.w) break;
        if (above > 0.0) {
            near = way;
            above_near = above;
        } else {
            far = way;
            above_far = above;
        }
        if (far >= 0.0 && far - near < 0.004 * absorption.w) break;
        float secant = clamp(above_near / max(above_near - above_far, 1e-9), 0.2, 0.8);
        way = far < 0.0 ? way + above / sink : mix(near, far, secant);
    }
    return way;
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
