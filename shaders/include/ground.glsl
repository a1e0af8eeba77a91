// The ground at a point, from the baked maps or as the tiles of a pool.
#include "light.glsl"
#include "pool_tiles.glsl"

uniform sampler2D albedo_map;
uniform sampler2D relief_map;

struct Ground {
    vec3 albedo;
    vec3 normal;
    float rock;     // how rocky, 0-1
    float sun;      // share of the sun seen past other ground, above and under water
    float sky;      // share of the sky seen
};

#if !POOL
// Mipmap level of the relief map for pixels that are `width` metres wide on the ground.
float relief_detail(float width) {
    return log2(width * float(textureSize(relief_map, 0).x) / (box_high.x - box_low.x));
}

// Unit normal of the ground without what is as fine as pixels.
vec3 facing_at(vec3 point, float width) {
    vec2 tilt = textureLod(relief_map, block_uv(point.xz), mipmap(relief_detail(width) + 1.0)).xy;
    return normalize(vec3(-tilt.x, 1.0, -tilt.y));
}

// The level for ground that is seen at an angle with this cosine to the normal: a pixel covers a long strip of it.
float aslant(float detail, float cosine) {
    return detail + 0.4 - 0.8 * log2(cosine);
}

// The ground at a point, from this mipmap level of the relief map and as fine colours.
Ground ground_in_detail(vec3 point, float detail) {
    vec2 uv = block_uv(point.xz);
    vec4 relief = textureLod(relief_map, uv, mipmap(detail));
#if DRAPE
    detail += log2(float(textureSize(albedo_map, 0).x) / float(textureSize(relief_map, 0).x));  // an aerial picture's own
#endif
    vec4 made = textureLod(albedo_map, uv, mipmap(detail));
    vec3 normal = normalize(vec3(-relief.x, 1.0, -relief.y));
    return Ground(made.rgb, normal, made.a, relief.z, relief.w);
}
#endif

// The ground seen along `ray` (unit) by pixels that are `width` metres wide there. Screen-space derivatives cannot choose the
// mipmap level: they jump where one hill stands in front of another.
Ground ground_at(vec3 point, vec3 ray, float width) {
#if POOL
    // Walls and floor look smooth at any distance, and one level for all pixels is quicker in software.
    vec4 relief = textureLod(relief_map, block_uv(point.xz), 0.0);
    vec3 normal = normalize(vec3(-relief.x, 1.0, -relief.y));
    return Ground(pool_albedo(point, normal, ray, width), normal, 0.0, relief.z, relief.w);
#else
    float detail = relief_detail(width);
#if DIRECT_VIEW
    detail = aslant(detail, max(-dot(facing_at(point, width), ray), 0.08));
#endif
    return ground_in_detail(point, detail);
#endif
}

// Light of the ground at a point under water.
vec3 ground_in_water(vec3 point, vec3 ray, float width) {
    Ground ground = ground_at(point, ray, width);
#if !POOL
    ground.albedo = wetted(ground.albedo, ground.rock, 1.0);
#endif
#if BODIES
    ground.sky *= sky_past_bodies(point, ground.normal);
#endif
    return lit_below(point, ground.normal, ground.albedo, ground.sky, ground.sun, width);
}
