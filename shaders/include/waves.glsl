// Slopes and foam of the water, filtered to what a pixel covers.
#include "noise.glsl"

uniform sampler2D waves;    // rg slopes of the normal along x and z, b the mean of their squares, a foam

struct Waves {
    vec2 slope;     // of the normal: (x, 1, z) points upwards
    float spread;   // mean square of the slopes that are too fine to show
    float foam;     // 0-1
};

// The breath of wind that calm water never lacks: slopes at a place, moving with time. Of the noise only its broad shapes
// are taken, a fiftieth of the scene long, that light can focus below.
vec2 breath(vec2 xz, float detail) {
    float drift = eye.w * 0.006;
    vec2 at = xz / (0.23 * forward.w);
    vec2 slope = 0.00055 * textureLod(noise, at + vec2(drift, 0.4 * drift), max(detail + 2.1, 2.5)).yz;
#if FINE
    slope += 0.00035 * textureLod(noise, 1.9 * at.yx - vec2(0.7 * drift, drift), max(detail + 3.0, 1.5)).yz;
#endif
    return slope;
}

// The waves at the grid's xz, seen by pixels that are `width` metres wide there.
Waves waves_at(vec2 xz, float width) {
    vec4 here = textureLod(waves, field_uv(xz), mipmap(log2(width / grid.x * grid.z * float(textureSize(waves, 0).x))));
    float breath_detail = noise_detail(width);
    // Of the breath's own slopes what is finer than a pixel counts as roughness.
    float lost = 1.2e-4 * smoothstep(-2.0, 2.0, breath_detail);
    vec2 slope = here.rg + breath(xz, breath_detail);
    return Waves(slope, max(here.b - dot(here.rg, here.rg), 0.0) + lost, here.a);
}
