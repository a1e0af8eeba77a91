// Foam on the water: a lace of bubbles that thins out where there is less of it.
#include "light.glsl"
#include "noise.glsl"

uniform sampler2D lace;     // r how soon foam covers a place as it grows denser, 0-1

const mat2 TURN = mat2(0.848, 0.530, -0.530, 0.848);

// How thick foam lies at a place, below 0 where there is none and 1 where it covers, where it is `dense` (0-1) and pixels
// are `width` metres wide.
float foam_thickness(vec2 xz, float dense, float width) {
    // Two layers turned against each other, in sizes that never come together again.
    float detail = noise_detail(width);
    vec2 at = xz / forward.w;
    float coarse = textureLod(lace, TURN * at * 9.1, mipmap(detail + 3.2)).r;
    float fine = textureLod(lace, at * 31.7 + 0.31, mipmap(detail + 5.0)).r;
#if FINE
    float finest = textureLod(lace, at.yx * 107.3 + 0.77, mipmap(detail + 6.7)).r;
    float pattern = 0.28 * coarse + 0.34 * fine + 0.38 * finest;
#else
    float pattern = 0.55 * coarse + 0.45 * fine;
#endif
    // Where pixels are wider than its meshes the lace is gone, and foam is a veil.
    float soft = mix(0.16, 0.55, smoothstep(0.0, 5.0, detail + 3.9));
    return (0.92 * dense - pattern) / soft;
}

// Share of a place that foam of this thickness covers.
float foam_cover(float thickness, float dense) {
    return smoothstep(-1.0, 1.0, thickness) * smoothstep(0.0, 0.3, dense);
}

vec3 foam_over(vec3 water, vec2 xz, float dense, vec3 normal, float sun_seen, float width) {
    float thickness = foam_thickness(xz, dense, width);
    float cover = foam_cover(thickness, dense);
    // Thin foam lets some of the water's darkness through.
    vec3 light = lit_above(normal, vec3(mix(0.42, 0.86, smoothstep(-0.5, 5.0, thickness))), sun_seen, 1.0);
    // Bubbles beneath brighten the water between, in its own colour.
    vec3 milky = mix(water, light * (0.25 + 0.75 * scatter.rgb / max(scatter.b, scatter.g)), 0.22 * dense);
    return mix(milky, light, 0.94 * cover);
}
