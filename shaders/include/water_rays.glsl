// Where rays in water end: at the ground, or at a side of the water.
#include "block.glsl"

// Distance from a point in the water along a unit ray to the block's sides, or to the height `top` if the ray rises.
float distance_to_side(vec3 from, vec3 ray, float top) {
    vec3 wall = mix(box_low, vec3(box_high.x, top, box_high.z), step(0.0, ray));
    vec3 far = (wall - from) / (ray + vec3(1e-6) * (2.0 * step(0.0, ray) - 1.0));
    return max(min(min(far.x, far.y), far.z), 0.0);
}

const float CLOSE = 0.003;      // how near to the ground a steep ray ends, as a share of the mean depth
const float STRAIGHT = 0.02;    // how far straight ground may lie off the line between two ends half way, as a share of their difference

// How far a unit ray may go on that is `above` the ground [m]: no ground rises into the cone and the cylinder that stand on the ground
// below it. At least `least`, but not below the level of this ground. The ray runs `across` metres sideways in each, and `lengths`
// metres for one sideways and for one down.
float way_over(vec4 ground, float above, vec3 ray, float across, vec2 lengths, float least) {
    float cone = ground.b * above / max(across - ground.b * ray.y, 1e-4);
    float to_level = above * lengths.y;
    return max(max(cone, min(ground.a * lengths.x, to_level)), min(least, to_level));
}

#if POOL
// How far a unit ray may go on that begins over the level part of a pool's floor: to that, which it meets after `to_floor` metres, or
// to where it leaves it sideways.
float way_over_floor(vec3 from, vec3 ray, float to_floor) {
    vec2 behind = from.xz - level_floor.xy;
    vec2 before = level_floor.zw - from.xz;
    vec2 to_side = mix(behind, before, step(0.0, ray.xz)) / max(abs(ray.xz), 1e-6);
    bool over = min(min(behind.x, behind.y), min(before.x, before.y)) > 0.0;
    return over ? min(to_floor, min(to_side.x, to_side.y)) : 0.0;
}
#endif

// Distance along a unit ray to the ground, by cone step mapping (Dummer 2006). A thin wall is met where it begins. More than `farthest`
// if there is no ground so near. `ground` is that under `from` (ground_under): most who ask for a ray have looked it up.
float distance_to_ground(vec3 from, vec3 ray, float farthest, vec4 ground) {
    float across = length(ray.xz);
    // What is the same in all steps: software OpenGL would work it out in each anew, and divisions are slow.
    vec2 lengths = 1.0 / max(vec2(across, -ray.y), 1e-4);
    vec2 begin = field_uv(from.xz);
    vec2 onward = ray.xz * (grid_texel / grid_spacing);
    float least = grid_spacing * min(0.4 * lengths.x, 1.0);
    // The more level a ray is, the farther it may still go: else bare ground would show along the foot of a cut side.
    float close = CLOSE * mean_depth * clamp(-1.5 * ray.y, 0.02, 1.0);
    float above = from.y - ground.r;
    float near = 0.0;       // the last place above the ground, and how high it is
    float over = max(above, 0.0);
    float far = 0.0;        // the first in the ground, once a step has gone into it, and how deep it is
    float under = 0.0;
    bool halving = false;
    int halvings = 0;
    float path = above < close ? 0.0 : way_over(ground, above, ray, across, lengths, least);
#if POOL
    // A ray that begins in the ground ends there.
    if (path > 0.0) path = max(path, way_over_floor(from, ray, (from.y - lowest_ground) * lengths.y));
#endif
    // 48 steps, with that one, and up to four halvings. Few rays take that many, but Mesa unrolls loops of up to 32 steps, and then every
    // ray takes all of them. Halving in a loop of its own would cost software OpenGL a look where no ray goes into the ground, too.
    for (int i = 0; i < 51; ++i) {
        ground = textureLod(bed, begin + path * onward, 0.0);
        above = from.y + ray.y * path - ground.r;
        if (!halving && (path > farthest || above < close && above > -CLOSE * mean_depth)) break;
        bool inside = above < 0.0;
        // Straight ground needs no more halving to tell where the ray goes in.
        bool straight = halving && abs(above - 0.5 * (over + under)) < STRAIGHT * (over - under);
        near = inside ? near : path;
        over = inside ? over : above;
        far = inside ? path : far;
        under = inside ? above : under;
        // The least step may go in, which spans a cell at the most: along a sixteenth of it the ground is straight. So may the step to a
        // pool's floor, which is level there.
        halvings += int(halving);
        if (straight || halvings == 4) break;
        halving = halving || inside;
        path = halving ? 0.5 * (near + far) : path + way_over(ground, above, ray, across, lengths, least);
    }
    if (halving) return mix(near, far, over / (over - under));
    return path > farthest ? 2.0 * farthest : path + above / max(-ray.y, 0.5);
}
