#version 330
// The ground seen directly: baked maps or pool tiles, close-up grain finer than the maps, and a wet band along the shore.
#include "gbuffer.glsl"
#include "ground.glsl"
#include "noise.glsl"
#if UNDERWATER
#include "underwater.glsl"
#endif

in vec2 uv;
out vec4 colour;

#if !POOL
uniform sampler2D wet_ground;       // r share to which the ground is wet
#endif
#if FINE && !POOL
uniform sampler2D foam_pattern;     // used here for the crowns of trees

// Triplanar mapping (Geiss 2007) of a tile that measures `size` times `grain_extent`, weighted by `sides`. A
// projection from above alone would smear the tile down steep slopes. The tile's slopes in yz become a gradient in yzw.
vec4 triplanar(sampler2D tile, vec3 point, vec3 sides, float size, mat2 turn, float detail) {
    float level = mipmap(detail - log2(size));
    point /= size * grain_extent;
    vec4 top = textureLod(tile, turn * point.xz, level);
    vec4 found = sides.y * vec4(top.x, top.y, 0.0, top.z);
    if (sides.y < 0.99) {
        vec4 east = textureLod(tile, turn * point.zy, level);
        vec4 south = textureLod(tile, turn * point.xy, level);
        found += sides.x * vec4(east.x, 0.0, east.zy) + sides.z * vec4(south.xyz, 0.0);
    }
    return found;
}

// Adds close-up grain to colour and normal. Returns noise of mean 0, for edges that should not be straight.
float add_grain(inout vec3 albedo, inout vec3 normal, float rock, vec3 point, float width) {
    float detail = noise_detail(width);
    vec3 sides = normal * normal;
    sides = sides * sides / dot(sides, sides);
    float contrast = inversesqrt(dot(sides, sides));    // undoes the loss by mixing
    mat2 turn = mat2(0.8, 0.6, -0.6, 0.8);
    // Grain lies flat on cliffs, as beds do.
    vec3 bedded = point * vec3(1.0, 2.2, 1.0);
    vec4 grain = contrast * triplanar(noise, bedded, sides, 0.083, turn, detail);
    vec4 grit = contrast * triplanar(noise, bedded, sides, 0.0171, turn * turn, detail);
    vec4 dust = contrast * triplanar(noise, bedded, sides, 0.0037, turn, detail);
    float crown = max(0.5 + contrast * (triplanar(foam_pattern, bedded, sides, 0.024, turn, detail).x - 0.5), 0.0);
    normal = normalize(normal - (0.0020 + 0.002 * rock) * (grain + grit + dust).yzw);
#if DRAPE
    float wooded = 0.0;     // trees are in the aerial picture
#else
    float wooded = smoothstep(0.15, 0.45, 1.0 - albedo.r / albedo.g + 0.25 * grain.x);
#endif
    // The borders of the pattern's cells are the joints of rock.
    albedo *= (1.0 + 0.15 * (grain.x + grit.x + dust.x)) * (1.0 + wooded * (1.1 * crown - 0.62 + 0.2 * grit.x));
    albedo *= 1.0 + 0.7 * rock * (crown - 0.5);
    return grain.x + 0.6 * grit.x;
}
#endif

void main() {
    vec3 point = point_here(uv);
    vec3 ray = point - eye;
    float far = length(ray);
    float width = pixel_width(far);
#if UNDERWATER && !POOL
    // The water of a pool is filtered: its tiles are sharp.
    width = width_through_water(width, uv, far);
#endif
    Ground ground = ground_at(point, ray / far, width);
    vec3 albedo = ground.albedo;
    vec3 normal = ground.normal;
    float above = point.y - water_level;
    go_under_clouds(point);
#if !POOL
    float edge = 0.0;
#if FINE
    // At a grazing angle a pixel covers a long strip of ground: finer grain would flicker when the camera moves.
    float slant = max(-dot(normal, ray / far), 0.08);
    edge = add_grain(albedo, normal, ground.rock, point, 1.4 * width / slant);
#else
    // One layer of grain, near the eye alone, where the texels of the baked maps would be seen as blotches. As a loop that runs
    // once or not at all it costs nothing elsewhere.
    float texels = width * float(textureSize(relief_map, 0).x) / (box_high.x - box_low.x);
    int near = texels < 0.5 ? 1 : 0;
    for (int i = 0; i < near; ++i) {
        vec2 flat_on = normal.y > 0.6 ? point.xz : abs(normal.x) > abs(normal.z) ? point.zy : point.xy;
        float level = mipmap(noise_detail(width) - log2(0.0171));
        vec3 grit = smoothstep(0.5, 0.2, texels) * textureLod(noise, flat_on / (0.0171 * grain_extent), level).xyz;
        albedo *= 1.0 + 0.3 * grit.x;
        edge = grit.x;
    }
#endif
#if TREES && FINE
    vec4 tree = texelFetch(gbuffer, ivec2(gl_FragCoord.xy), 0);
    if (tree.g > 2.0) {
        vec2 aside = clamp(tree.gb - 4.0, -1.0, 1.0);
        normal = vec3(aside.x, sqrt(max(1.0 - dot(aside, aside), 0.0)), aside.y);
        vec2 flat_on = normal.y > 0.8 ? point.xz : abs(normal.x) > abs(normal.z) ? point.zy : point.xy;
        vec4 leaves = textureLod(noise, flat_on / 9.0, mipmap(log2(256.0 * width / 9.0)));
        float clumps = textureLod(foam_pattern, flat_on / 7.0, mipmap(log2(256.0 * width / 7.0))).x;
        float tint = (floor(tree.a) - 1.0) / 14.0;
        float kind = clamp(tint + 0.15 * textureLod(noise, point.xz / 310.0, 2.0).x + 0.12 * leaves.x, 0.0, 1.0);
        normal = normalize(normal + 0.003 * vec3(leaves.y, 0.0, leaves.z));
        vec3 leaf = mix(vec3(0.024, 0.048, 0.020), vec3(0.086, 0.108, 0.032), kind) * (0.5 + clumps);
        albedo = tint < 0.0 ? vec3(0.085, 0.068, 0.052) : leaf;
        // The lower a leaf hangs, the more of the sky others hide.
        ground.sun = fract(tree.a) / 0.95;
        ground.sky = (0.30 + 0.65 * normal.y) * (0.7 + 0.3 * ground.sun);
    }
#endif
    // Noise makes the edge of the wet sand irregular; the mesh alone would give straight lines.
    float wet = 1.0 - smoothstep(0.05, 1.2, above / (0.0025 * grain_extent) + 0.7 * edge);
    albedo = wetted(albedo, ground.rock, max(wet, textureLod(wet_ground, field_uv(point.xz), 0.0).r));
#endif
#if BODIES
    ground.sun *= past_bodies(point + 1e-3 * extent * normal, towards_sun);
    ground.sky *= sky_past_bodies(point, normal);
#endif
    vec3 light = lit_above(normal, albedo, ground.sun, ground.sky);
#if UNDERWATER
    // In a trough ground below still water is dry.
    if (above < min(water_height(point.xz), 0.0)) light = lit_below(point, normal, albedo, ground.sky, width);
    light = through_water(light, uv, ray / far, far);
#else
    light = through_air(light, ray / far, far);
#endif
    colour = vec4(light, 1.0);
}
