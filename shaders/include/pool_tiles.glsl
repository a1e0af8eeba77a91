// The lining of a swimming pool: glazed tiles on floor and walls, a dark band at the waterline, stone coping around it.
#include "view.glsl"

const float GROUT = 0.055;      // width of the joints, as a share of a tile

// Share of joints within `width` around t along one axis, both in tiles. It is the exact mean, so nothing shimmers.
float joints(float t, float width) {
    float a = t - 0.5 * width;
    float b = t + 0.5 * width;
    return ((floor(b) - floor(a)) * GROUT + min(fract(b), GROUT) - min(fract(a), GROUT)) / width;
}

// A random number in 0-1 for each tile.
float tile_hash(vec2 tile) {
    return fract(sin(dot(tile, vec2(12.9898, 78.233))) * 43758.547);
}

// Albedo of the lining, seen along `ray` (unit) by pixels that are `width` metres wide.
vec3 pool_albedo(vec3 point, vec3 normal, vec3 ray, float width) {
    float above = point.y - water_level;
    bool level = normal.y > 0.6;
    bool coping = level && above > 0.0;
    float tile = coping ? 3.0 * tile_size : tile_size;
    bool facing_x = abs(normal.x) > abs(normal.z);
    vec2 at = (level ? point.xz : vec2(facing_x ? point.z : point.x, above)) / tile;
    vec2 way = level ? ray.xz : vec2(facing_x ? ray.z : ray.x, ray.y);
    float slant = clamp(abs(dot(normal, ray)), 0.15, 1.0);
    float across = max(width / tile, 1e-4);
    // A pixel covers 1/slant as much of the lining along the ray as across it: these are its extents along the joints' axes.
    vec2 covered = across * sqrt(1.0 + way * way / (slant * slant));
    vec2 lines = vec2(joints(at.x, covered.x), joints(at.y, covered.y));
    float joint = lines.x + lines.y - lines.x * lines.y;
    float vary = (tile_hash(floor(at)) - 0.5) * clamp(1.5 - across / slant, 0.0, 1.0);
    if (coping) return mix(vec3(0.50, 0.475, 0.43) * (1.0 + 0.10 * vary), vec3(0.30, 0.285, 0.26), joint);
    vec3 glaze = vec3(0.44, 0.63, 0.70) * (1.0 + 0.24 * vary);
    // The dark rows at the waterline.
    if (!level && abs(above - waterline_rows * tile) < tile) glaze = vec3(0.045, 0.13, 0.30) * (1.0 + 0.5 * vary);
    return mix(glaze, grout_albedo, joint);
}
