// The look of foam: a pattern of bubbles that gets holes where foam is thin. How foam moves is in foam_motion.glsl.
#include "light.glsl"
#include "noise.glsl"

uniform sampler2D foam_pattern;     // r density at which foam covers a place, 0-1

const mat2 TURN = mat2(0.848, 0.530, -0.530, 0.848);

// Thickness of foam of density `dense` (0-1) at a place: below 0 there is none, at 1 it covers. Pixels are `width` metres wide.
float foam_thickness(vec2 xz, float dense, float width) {
    // Layers are rotated and scaled against each other, so that the pattern does not repeat visibly.
    float detail = noise_detail(width);
    vec2 at = xz / grain_extent;
    float coarse = textureLod(foam_pattern, TURN * at * 9.1, mipmap(detail + 3.2)).r;
    float fine = textureLod(foam_pattern, at * 31.7 + 0.31, mipmap(detail + 5.0)).r;
#if FINE
    float finest = textureLod(foam_pattern, at.yx * 107.3 + 0.77, mipmap(detail + 6.7)).r;
    float pattern = 0.28 * coarse + 0.34 * fine + 0.38 * finest;
#else
    float pattern = 0.55 * coarse + 0.45 * fine;
#endif
    // Where pixels are wider than the bubbles the pattern blurs into a veil.
    float soft = mix(0.16, 0.55, smoothstep(0.0, 5.0, detail + 3.9));
    return (0.92 * dense - pattern) / soft;
}

// Share of a place that foam of this thickness covers.
float foam_cover(float thickness, float dense) {
    return smoothstep(-1.0, 1.0, thickness) * smoothstep(0.0, 0.3, dense);
}

// Light of the water with foam on it.
vec3 foam_over(vec3 water, vec2 xz, float dense, vec3 normal, float sun_seen, float width) {
    float thickness = foam_thickness(xz, dense, width);
    float cover = foam_cover(thickness, dense);
    // Thin foam is darker: some of the water shows through.
    vec3 light = lit_above(normal, vec3(mix(0.42, 0.86, smoothstep(-0.5, 5.0, thickness))), sun_seen, 1.0);
    // Bubbles below the surface brighten the water between the foam, in its own colour.
    vec3 milky = mix(water, light * (0.25 + 0.75 * backscatter / max(backscatter.b, backscatter.g)), 0.22 * dense);
    return mix(milky, light, 0.94 * cover);
}
