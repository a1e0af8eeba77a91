// Slopes and foam of the water, filtered to what a pixel covers.
#include "noise.glsl"

uniform sampler2D waves;    // rg slopes of the normal along x and z, b the mean of their squares, a foam

struct Waves {
    vec2 slope;     // of the normal: (x, 1, z) points upwards
    float spread;   // mean square of the slopes that are too fine to show
    float foam;     // 0-1
};

#if DETAIL
uniform sampler2D detail;   // as `waves` without foam, repeating

// Fine waves that the surface carries: slopes and the mean of their squares.
vec3 ripples(vec2 xz, float width) {
    return textureLod(detail, xz * look.y, mipmap(log2(width * look.y * float(textureSize(detail, 0).x)))).rgb;
}
#else
// The breath of wind that water never lacks, moving with time: slopes and the mean of their squares. In a pool only the
// broad shapes of the noise are taken, a fiftieth of it long, that light can focus below.
vec3 ripples(vec2 xz, float width) {
    float drift = eye.w * 0.006;
    float level = noise_detail(width);
#if POOL
    vec2 at = xz / (0.23 * forward.w);
    vec2 slope = 0.00080 * textureLod(noise, at + vec2(drift, 0.4 * drift), max(level + 2.1, 3.0)).yz;
#if FINE
    slope += 0.00025 * textureLod(noise, 1.9 * at.yx - vec2(0.7 * drift, drift), max(level + 3.0, 2.6)).yz;
#endif
    float lost = 1.2e-4 * smoothstep(-2.0, 2.0, level);
#else
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

// The waves at the grid's xz, seen by pixels that are `width` metres wide there.
Waves waves_at(vec2 xz, float width) {
    vec4 here = textureLod(waves, field_uv(xz), mipmap(log2(width / grid.x * grid.z * float(textureSize(waves, 0).x))));
    vec3 fine = ripples(xz, width);
    float spread = max(here.b - dot(here.rg, here.rg), 0.0) + max(fine.b - dot(fine.rg, fine.rg), 0.0);
    return Waves(here.rg + fine.rg, spread, here.a);
}

// The waves at xz beyond the block: those within, mirrored at its sides, and farther away what their mean shows.
Waves waves_beyond(vec2 xz, float width) {
    vec2 turn = mod(block_uv(xz), 2.0);
    vec2 side = 1.0 - 2.0 * step(1.0, turn);
    vec2 within = mix(box_low.xz, box_high.xz, 1.0 - abs(turn - 1.0));
    float out_there = length(xz - clamp(xz, box_low.xz, box_high.xz));
    Waves here = waves_at(within, max(width, 0.03 * out_there));
    here.slope *= side;
    return here;
}
