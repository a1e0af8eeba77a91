// Waves too fine for the grid: slopes along x and z, and the mean square of those that are unresolved.
#include "noise.glsl"

#if DETAIL
uniform sampler2D detail;   // as `waves`, without foam, repeating

// Mean square of the slopes of all ripples.
float ripples_steepness() {
    return textureLod(detail, vec2(0.5), 16.0).b;
}

// Fine waves that come with the frame.
vec3 ripples(vec2 xz, float width) {
    float texels = width * detail_frequency * float(textureSize(detail, 0).x);
    vec3 fine = textureLod(detail, xz * detail_frequency, mipmap(log2(texels))).rgb;
    return vec3(fine.rg, unresolved(fine, texels));
}
#elif WIND && !POOL
float ripples_steepness() {
    return sea_roughness;
}

const float TILE_SQUARES = 2839.0;  // mean square of the slopes of the tile of noise

// A third of the roughness, in waves of a tile `side` metres of sea long that run with the wind: their slopes, and the mean
// square of those too fine for `width` metres. In the tile's slopes the variance between octaves falls as that of its waves.
vec3 wind_waves(vec2 xz, float width, float side, float speed) {
    float texels = float(textureSize(noise, 0).x);
    float level = mipmap(log2(width * texels / (side * sea_scale)));
    vec2 at = (xz / sea_scale - speed * time * downwind) / side;
    vec2 slope = sqrt(sea_roughness / (3.0 * TILE_SQUARES)) * textureLod(noise, at, level).yz;
    return vec3(slope, sea_roughness / 3.0 * (1.0 - exp2(-1.2 * level)));
}

// Waves from 5 m to 5 cm of sea; a third of the roughness is finer and never seen but in the glitter. Gusts make some places
// rougher than others, so that the far sea keeps a texture.
vec3 ripples(vec2 xz, float width) {
    vec3 longer = wind_waves(xz, width, 17.0, 1.7);
    vec3 shorter = wind_waves(xz.yx + 0.3, width, 3.3, 0.6);
    vec2 slope = longer.xy + shorter.yx;
    float gust = textureLod(noise, xz / (2.3 * extent) - 0.004 * time, max(noise_detail(width) - 1.2, 3.0)).w;
    float lost = (longer.z + shorter.z + sea_roughness / 3.0) * clamp(1.0 + 0.8 * gust, 0.5, 1.6);
    return vec3(slope, lost);
}
#else
#if !POOL
const float BREEZE = 6.0e-3;    // mean square of the slopes of the usual layers
#if FINE
const float FINER = 2.8;        // times as short is the next finer layer
const float FINER_STEEPNESS = 1.0e-3;   // mean square of the slopes of a layer finer than the usual three

// Such layers go on until their tile is 5 to 14 metres long, however large the scene is.
float finer_layers() {
    return clamp(floor(log2(grain_extent / 325.0) / log2(FINER)), 0.0, 6.0);
}
#endif
#endif

float ripples_steepness() {
#if POOL
    return 0.0;
#elif FINE
    return BREEZE + FINER_STEEPNESS * finer_layers();
#else
    return BREEZE;
#endif
}

#if POOL
uniform sampler2D ripple_tile;  // slopes of the noise's broad features (waterview/render/noise.py)
#endif

// Ripples of a light breeze, made of noise that moves with time. In a pool only the broad features of the noise are used,
// which focus sunlight on the floor; they are broad enough for the map of waves to hold them (waves.frag).
vec3 ripples(vec2 xz, float width) {
    float drift = time * 0.006;
#if POOL
    vec2 at = xz / (0.23 * grain_extent);
    vec2 slope = 0.00080 * textureLod(ripple_tile, at + vec2(drift, 0.4 * drift), 1.0).rg;
#if FINE
    slope += 0.00025 * textureLod(ripple_tile, 1.9 * at.yx - vec2(0.7 * drift, drift), 0.6).rg;
#endif
    const float lost = 0.0;
#else
    float level = noise_detail(width);
    vec2 at = xz / (0.11 * grain_extent);
    vec2 slope = 0.00095 * textureLod(noise, at + 2.1 * vec2(drift, 0.4 * drift), mipmap(level + 3.2)).yz;
    float lost = BREEZE * smoothstep(-6.0, 0.0, level);
#if FINE
    slope += 0.00080 * textureLod(noise, 2.56 * at.yx - 2.1 * vec2(0.7 * drift, drift), mipmap(level + 4.5)).yz;
    // The third layer and finer ones. Short waves are slower, by the square root of their length. Where pixels are as wide as a sixth of a
    // layer's tile, nothing is left of it.
    float often = 7.13;
    vec2 run = 5.3 * vec2(0.3 * drift, -drift);
    float strength = 0.00080;
    level += 6.0;
    float finer = finer_layers();
    lost += FINER_STEEPNESS * finer;
    int layers = int(min(finer, (5.5 - level) / log2(FINER)));
    int layer = 0;
    do {
        if (layer > 0) lost -= FINER_STEEPNESS * exp2(-1.2 * mipmap(level));
        slope += strength * textureLod(noise, often * at.xy + run, mipmap(level)).zy;
        often *= FINER;
        run *= -sqrt(FINER);
        level += log2(FINER);
        strength = 0.00059;     // the slopes of the noise have a mean square of 2839
    } while (++layer <= layers);
#endif
#endif
    return vec3(slope, lost);
}
#endif
