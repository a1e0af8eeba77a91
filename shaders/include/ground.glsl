// The ground at a point, from the baked maps or as a tiled pool.
#include "light.glsl"
#include "pool.glsl"


uniform sampler2D albedo_map;
uniform sampler2D relief_map;

struct Ground {
    vec3 albedo;
    vec3 normal;
    float rock;     // how rocky, 0-1
    float sun;      // share of the sun seen
    float sky;      // share of the sky seen
};

// The ground that is looked at along `ray` (unit) by pixels that are `width` metres wide there. Where a pass shades what
// its pixels show (DIRECT), the graphics card knows better how they lie on the ground.
Ground ground_at(vec3 point, vec3 ray, float width) {
    vec2 uv = block_uv(point.xz);
#if DIRECT
    vec4 relief = texture(relief_map, uv);
#if !POOL
    vec4 made = texture(albedo_map, uv);
#endif
#else
    float detail = log2(width / (box_high.x - box_low.x) * float(textureSize(relief_map, 0).x));
    vec4 relief = textureLod(relief_map, uv, mipmap(detail));
#if !POOL
    vec4 made = textureLod(albedo_map, uv, mipmap(detail));
#endif
#endif
    vec3 normal = normalize(vec3(-relief.x, 1.0, -relief.y));
#if POOL
    vec4 made = vec4(pool_albedo(point, normal, ray, width), 0.0);
#endif
    return Ground(made.rgb, normal, made.a, relief.z, relief.w);
}

// Light of the ground at a point in the water.
vec3 ground_in_water(vec3 point, vec3 ray, float width) {
    Ground ground = ground_at(point, ray, width);
#if !POOL
    ground.albedo = wetted(ground.albedo, 1.0);
#endif
    return lit_below(point, ground.normal, ground.albedo, ground.sky, width);
}
