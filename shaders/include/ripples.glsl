// Waves too fine for the grid: slopes along x and z, and the mean of their squares.
#include "noise.glsl"

#if DETAIL
uniform sampler2D detail;   // as `waves`, without foam, repeating

// Fine waves that come with the frame.
vec3 ripples(vec2 xz, float width) {
    return textureLod(detail, xz * detail_frequency, mipmap(log2(width * detail_frequency * float(textureSize(detail, 0).x)))).rgb;
}
#else
// Ripples of a light breeze, made of noise that moves with time. In a pool only the broad features of the noise are used,
// which focus sunlight on the floor; they are broad enough for the map of waves to hold them (waves.frag).
vec3 ripples(vec2 xz, float width) {
    float drift = time * 0.006;
#if POOL
    vec2 at = xz / (0.23 * grain_extent);
    vec2 slope = 0.00080 * textureLod(noise, at + vec2(drift, 0.4 * drift), 3.0).yz;
#if FINE
    slope += 0.00025 * textureLod(noise, 1.9 * at.yx - vec2(0.7 * drift, drift), 2.6).yz;
#endif
    const float lost = 0.0;
#else
    float level = noise_detail(width);
    vec2 at = xz / (0.11 * grain_extent);
    vec2 slope = 0.00095 * textureLod(noise, at + 2.1 * vec2(drift, 0.4 * drift), mipmap(level + 3.2)).yz;
#if FINE
    slope += 0.00080 * textureLod(noise, 2.56 * at.yx - 2.1 * vec2(0.7 * drift, drift), mipmap(level + 4.5)).yz;
    slope += 0.00080 * textureLod(noise, 7.13 * at.xy + 5.3 * vec2(0.3 * drift, -drift), mipmap(level + 6.0)).zy;
#endif
    float lost = 6.0e-3 * smoothstep(-6.0, 0.0, level);
#endif
    return vec3(slope, dot(slope, slope) + lost);
}
#endif
