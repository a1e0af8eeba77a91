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
#else
#if !POOL
#if WIND
const float GUSTY = 0.5;    // change of the mean square of ripples' slopes, over its mean, with the noise of gusts (deviation 0.5)
#else
const float GUSTY = 1.3;    // a breeze that hardly raises ripples differs more from place to place than a wind
#endif
const float GROUPED = 0.7;  // the same with the noise of the longest ripples

// Gusts roughen the water in patches that run with the wind: the mean square of ripples' slopes over its mean.
float gusts(vec2 xz, float width) {
    float run = min(wind_or_breeze() * sea_scale / (2.3 * extent), 0.02);  // tiles a second
    vec2 at = xz / (2.3 * extent) - run * time * downwind;
    return clamp(1.0 + GUSTY * textureLod(noise, at, max(noise_detail(width) - 1.2, 2.0)).w, 0.25, 1.75);
}

// The same of short ripples by what the longest are at a place, as they lie in the noise: short ones are steepest on the crests of long
// ones, where these push them together (Longuet-Higgins and Stewart 1960), and in small puffs. Normals lean along the noise's slopes,
// so its troughs are crests.
float grouped(vec4 longest) {
    return clamp(1.0 + GROUPED * (longest.w - longest.x), 0.2, 1.8);
}
#endif
#if WIND && !POOL
float ripples_steepness() {
    return sea_roughness;
}

const float TILE_SQUARES = 2839.0;  // mean square of the slopes of the tile of noise

// The noise as waves of a tile `side` metres of sea long that run along `way`. In `lost` is the share of the mean square of its slopes
// that is too fine for `width` metres: in them the variance between octaves falls as that of such waves.
vec4 wind_waves(vec2 xz, vec2 way, float width, float side, float speed, out float lost) {
    float level = mipmap(log2(width * float(textureSize(noise, 0).x) / (side * sea_scale)));
    lost = 1.0 - exp2(-1.2 * level);
    return textureLod(noise, (xz / sea_scale - speed * time * way) / side, level);
}

// Waves from 5 m to 5 cm of sea: a third of the roughness in longer ones and another in shorter ones. The last third is finer and never
// seen but in the glitter.
vec3 ripples(vec2 xz, float width) {
    vec2 lost;
    vec4 longer = wind_waves(xz, downwind, width, 17.0, 1.7, lost.x);
    vec4 shorter = wind_waves(xz.yx + 0.3, downwind.yx, width, 3.3, 0.6, lost.y);
    float gust = gusts(xz, width);
    float group = grouped(longer);
    vec2 slope = sqrt(gust * sea_roughness / (3.0 * TILE_SQUARES)) * (longer.yz + sqrt(group) * shorter.zy);
    return vec3(slope, gust * sea_roughness / 3.0 * (lost.x + group * (lost.y + 1.0)));
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
    vec4 longest = textureLod(noise, at + 2.1 * vec2(drift, 0.4 * drift), mipmap(level + 3.2));
    vec2 slope = 0.00095 * longest.yz;
    float lost = BREEZE * smoothstep(-6.0, 0.0, level);
#if FINE
    float gust = gusts(xz, width);
    slope *= sqrt(gust);
    gust *= grouped(longest);
    float strong = sqrt(gust);
    slope += strong * 0.00080 * textureLod(noise, 2.56 * at.yx - 2.1 * vec2(0.7 * drift, drift), mipmap(level + 4.5)).yz;
    // The third layer and finer ones. Short waves are slower, by the square root of their length. Where pixels are as wide as a sixth of a
    // layer's tile, nothing is left of it.
    float often = 7.13;
    vec2 run = 5.3 * vec2(0.3 * drift, -drift);
    float strength = 0.00080 * strong;
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
        strength = 0.00059 * strong;     // the slopes of the noise have a mean square of 2839
    } while (++layer <= layers);
    lost *= gust;
#endif
#endif
    return vec3(slope, lost);
}
#endif
#endif
