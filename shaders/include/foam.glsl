// The look of foam: a pattern of bubbles that gets holes where foam is thin. How foam moves is in foam_motion.glsl.
#include "light.glsl"
#include "noise.glsl"

uniform sampler2D foam_pattern;     // r density at which foam covers a place, 0-1; gb its slopes per tile

const mat2 TURN = mat2(0.848, 0.530, -0.530, 0.848);
const float RELIEF = 0.037;          // slope of bubbles for each of the pattern's

struct Foam {
    float thickness;    // below 0 there is none, at 1 it covers
    vec2 slope;         // of its normal, as in `Waves`: (x, 1, z)
};

// Foam of density `dense` (0-1) at a place. Pixels are `width` metres wide.
Foam foam_at(vec2 xz, float dense, float width) {
    // Layers are rotated and scaled against each other, so that the pattern does not repeat visibly.
    float detail = noise_detail(width);
    vec2 at = xz / grain_extent;
    vec3 coarse = textureLod(foam_pattern, TURN * at * 9.1, mipmap(detail + 3.2)).rgb;
    vec3 fine = textureLod(foam_pattern, at * 31.7 + 0.31, mipmap(detail + 5.0)).rgb;
    coarse.yz *= TURN;  // back again
#if FINE
    vec3 finest = textureLod(foam_pattern, at.yx * 107.3 + 0.77, mipmap(detail + 6.7)).rbg;
    vec3 pattern = 0.28 * coarse + 0.34 * fine + 0.38 * finest;
#else
    vec3 pattern = 0.55 * coarse + 0.45 * fine;
#endif
    // Where pixels are wider than the bubbles the pattern blurs into a veil.
    float soft = mix(0.16, 0.55, smoothstep(0.0, 5.0, detail + 3.9));
    float thickness = (0.92 * dense - pattern.x) / soft;
    // Bubbles of all sizes are as steep, and flatter where others lie on them. Foam is low where the pattern is high. Mipmaps
    // average the slopes away. Under a low sun bubbles stand in each other's shadow.
    float steep = RELIEF * mix(1.0, 0.7, smoothstep(0.0, 5.0, thickness)) * min(2.0 * towards_sun.y, 1.0);
    return Foam(thickness, steep * pattern.yz);
}

// Share of a place that foam of this thickness covers.
float foam_cover(float thickness, float dense) {
    return smoothstep(-1.0, 1.0, thickness) * smoothstep(0.0, 0.3, dense);
}

// Light of the water with foam on it.
vec3 foam_over(vec3 water, vec2 xz, float dense, vec3 normal, float sun_seen, float width) {
    Foam foam = foam_at(xz, dense, width);
    float cover = foam_cover(foam.thickness, dense);
    // Not of length 1: what a slope catches more than level foam counts for its larger area, and the mean stays as it is where
    // bubbles are smaller than pixels.
    vec3 bumpy = normal + vec3(foam.slope.x, 0.0, foam.slope.y);
    // Thin foam is darker: some of the water shows through.
    vec3 light = lit_above(bumpy, vec3(mix(0.4, 0.8, smoothstep(-0.5, 4.0, foam.thickness))), sun_seen, 1.0);
    // Bubbles below the surface brighten the water between the foam, in its own colour.
    vec3 milky = mix(water, light * (0.25 + 0.75 * backscatter / max(backscatter.b, backscatter.g)), 0.22 * dense);
    return mix(milky, light, 0.94 * cover);
}
