// Slopes and foam of the water, filtered to the size of a pixel.
#include "ripples.glsl"

uniform sampler2D waves;    // rg slopes of the normal along x and z, b the mean of their squares, a foam

struct Waves {
    vec2 slope;     // of the normal: (x, 1, z) points upwards
    float spread;   // mean square of the slopes too fine to resolve
    float foam;     // 0-1
};

// The waves at the grid's xz, seen by pixels that are `width` metres wide there.
Waves waves_at(vec2 xz, float width) {
    vec4 here = textureLod(waves, field_uv(xz), mipmap(log2(width / grid_spacing * grid_texel.x * float(textureSize(waves, 0).x))));
    float spread = max(here.b - dot(here.rg, here.rg), 0.0);
#if POOL && !DETAIL
    return Waves(here.rg, spread, here.a);
#else
    vec3 fine = ripples(xz, width);
    return Waves(here.rg + fine.rg, spread + max(fine.b - dot(fine.rg, fine.rg), 0.0), here.a);
#endif
}

// The waves at xz beyond the block: those inside, mirrored at its sides, and farther away their mean.
Waves waves_beyond(vec2 xz, float width) {
    vec2 turn = mod(block_uv(xz), 2.0);
    vec2 side = 1.0 - 2.0 * step(1.0, turn);
    vec2 within = mix(box_low.xz, box_high.xz, 1.0 - abs(turn - 1.0));
    float out_there = length(xz - clamp(xz, box_low.xz, box_high.xz));
    Waves here = waves_at(within, max(width, 0.03 * out_there));
    here.slope *= side;
    return here;
}
