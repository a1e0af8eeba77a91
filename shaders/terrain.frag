#version 330
// The ground seen directly: baked or tiled, with grain that the baked maps are too coarse for and a wet band at the shore.
#include "marks.glsl"
#include "ground.glsl"
#include "noise.glsl"
#if DIVED
#include "diving.glsl"
#endif

in vec2 uv;
out vec4 colour;

#if FINE && !POOL
uniform sampler2D lace;     // here as the crowns of trees

// A tile `size` times the scene's longer side, laid on from above and from both sides by their shares (triplanar; Geiss
// 2007): from above alone it would be smeared down all that is steep. Slopes in yz become a gradient in yzw.
vec4 laid_on(sampler2D tile, vec3 point, vec3 sides, float size, mat2 turn, float detail) {
    float level = mipmap(detail - log2(size));
    point /= size * forward.w;
    vec4 top = textureLod(tile, turn * point.xz, level);
    vec4 found = sides.y * vec4(top.x, top.y, 0.0, top.z);
    if (sides.y < 0.99) {
        vec4 east = textureLod(tile, turn * point.zy, level);
        vec4 south = textureLod(tile, turn * point.xy, level);
        found += sides.x * vec4(east.x, 0.0, east.zy) + sides.z * vec4(south.xyz, 0.0);
    }
    return found;
}

// Grain for what is looked at closely; returns noise of mean 0, for edges that should not be straight.
float add_grain(inout vec3 albedo, inout vec3 normal, float rock, vec3 point, float width) {
    float detail = noise_detail(width);
    vec3 sides = normal * normal;
    sides = sides * sides / dot(sides, sides);
    float contrast = inversesqrt(dot(sides, sides));    // what is mixed would be duller
    mat2 turn = mat2(0.8, 0.6, -0.6, 0.8);
    vec4 grain = contrast * laid_on(noise, point, sides, 0.083, turn, detail);
    vec4 grit = contrast * laid_on(noise, point, sides, 0.0171, turn * turn, detail);
    vec4 dust = contrast * laid_on(noise, point, sides, 0.0037, turn, detail);
    float crown = max(0.5 + contrast * (laid_on(lace, point, sides, 0.024, turn, detail).x - 0.5), 0.0);
    normal = normalize(normal - (0.0020 + 0.008 * rock) * (grain + grit + dust).yzw);
    float wooded = smoothstep(0.15, 0.45, 1.0 - albedo.r / albedo.g + 0.25 * grain.x);
    albedo *= (1.0 + 0.15 * (grain.x + grit.x + dust.x)) * (1.0 + wooded * (1.1 * crown - 0.62 + 0.2 * grit.x));
    return grain.x + 0.6 * grit.x;
}
#endif

void main() {
    vec3 point = point_here(uv);
    vec3 ray = point - eye.xyz;
    float far = length(ray);
    float width = pixel_width(far);
    Ground ground = ground_at(point, ray / far, width);
    vec3 albedo = ground.albedo;
    vec3 normal = ground.normal;
    float above = point.y - box_low.w;
#if !POOL
    float edge = 0.0;
#if FINE
    edge = add_grain(albedo, normal, ground.rock, point, width);
#endif
    // Sand is wet as far as water has seeped: not along the straight edges of the mesh.
    albedo = wetted(albedo, 1.0 - smoothstep(0.05, 1.2, above / (0.0025 * forward.w) + 0.7 * edge));
#endif
#if BODIES
    ground.sun *= unshaded(sunbeam(point, width), point);
#endif
    vec3 light = lit_above(normal, albedo, ground.sun, ground.sky);
#if DIVED
    if (above < 0.0) light = lit_below(point, normal, albedo, ground.sky, width);
    light = through_water(light, uv, ray / far, far);
#endif
    colour = vec4(light, 1.0);
}
