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

// Grain for what is looked at closely; returns noise of mean 0, for edges that should not be straight.
float add_grain(inout vec3 albedo, inout vec3 normal, float rock, vec2 xz, float width) {
    float detail = noise_detail(width);
    vec4 grain = textureLod(noise, mat2(0.8, 0.6, -0.6, 0.8) * xz / (0.083 * forward.w), mipmap(detail + 3.6));
    vec4 grit = textureLod(noise, mat2(0.28, 0.96, -0.96, 0.28) * xz / (0.0171 * forward.w), mipmap(detail + 5.9));
    float crown = textureLod(lace, mat2(0.6, 0.8, -0.8, 0.6) * xz / (0.024 * forward.w), mipmap(detail + 5.4)).r;
    // Seen from above the pattern is stretched on steep ground, so it fades there.
    float level = normal.y * normal.y;
    vec2 tilt = (0.0020 + 0.008 * rock) * level * (grain.yz + grit.zy);
    normal = normalize(normal - vec3(tilt.x, 0.0, tilt.y) * normal.y);
    float wooded = smoothstep(0.15, 0.45, 1.0 - albedo.r / albedo.g + 0.25 * grain.x);
    albedo *= (1.0 + 0.15 * level * (grain.x + grit.x)) * (1.0 + wooded * (1.1 * crown - 0.62 + 0.2 * grit.x));
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
    edge = add_grain(albedo, normal, ground.rock, point.xz, width);
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
#endif
#if DIVED
    light = through_water(light, uv, ray / far, far);
#endif
    colour = vec4(light, 1.0);
}
