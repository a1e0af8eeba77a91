// Waves finer than the grid's.
#include "noise.glsl"

#if DETAIL
uniform sampler2D detail;   // as `waves` without foam, repeating

// Fine waves that the surface carries: slopes and the mean of their squares.
vec3 ripples(vec2 xz, float width) {
    return textureLod(detail, xz * look.y, mipmap(log2(width * look.y * float(textureSize(detail, 0).x)))).rgb;
}
#else
// The breath of wind that water never lacks, moving with time: slopes and the mean of their squares. In a pool only the
// broad shapes of the noise are taken, a fiftieth of it long, that light can focus below: so broad that the map of waves
// holds them (waves.frag).
vec3 ripples(vec2 xz, float width) {
    float drift = eye.w * 0.006;
#if POOL
    vec2 at = xz / (0.23 * forward.w);
    vec2 slope = 0.00080 * textureLod(noise, at + vec2(drift, 0.4 * drift), 3.0).yz;
#if FINE
    slope += 0.00025 * textureLod(noise, 1.9 * at.yx - vec2(0.7 * drift, drift), 2.6).yz;
#endif
    const float lost = 0.0;
#else
    float level = noise_detail(width);
    vec2 at = xz / (0.11 * forward.w);
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
