// Waves too fine for the grid: slopes along x and z, and the mean square of those that are unresolved.
#include "noise.glsl"

#if DETAIL
uniform sampler2D detail;   // as `waves`, without foam, repeating

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

// Waves under a wind along x: slopes of mean square 1, their square, and in w by what `grouped` makes shorter ripples steeper
// (waterview/render/noise.py).
uniform sampler2D trains;

// The same of short ripples by what the longest are at a place: short ones are steepest on the crests of long ones, where these push
// them together (Longuet-Higgins and Stewart 1960), and in small puffs.
float grouped(vec4 longest) {
    return clamp(1.0 + GROUPED * longest.w, 0.2, 1.8);
}

// Waves of a tile `side` metres long, as fast as those of a tenth of its length, that run along `aside` where x is along the wind. The
// third is the mean square of the slopes that are too fine for `width` metres, by half a level more than slopes need: what they mirror
// changes faster than they do, and would be specks. Crests bend by up to 17 degrees, as parabolas of lengths that are no multiple of the
// tile's, or its repetition would be seen from above. Areas, and so all means, stay the same in the mean: slopes are not turned with crests,
// or their mean square would grow by 3 %.
vec4 wave_trains(vec2 xz, vec2 aside, float width, float side) {
    vec2 way = mat2(downwind, -downwind.y, downwind.x) * aside;
    mat2 along = mat2(way, -way.y, way.x);
    vec2 at = xz * along / side;
    vec2 bend = fract(0.38 * at.yx + vec2(0.14, -0.11) * at) - 0.5;
    at += bend * (0.8 - 1.6 * abs(bend)) - vec2(sqrt(0.1 * GRAVITY / (2.0 * PI * side)) * time, 0.0);
    vec4 found = textureLod(trains, at, mipmap(log2(width * float(textureSize(trains, 0).x) / side) + 0.5));
    return vec4(along * found.xy, max(found.z - dot(found.xy, found.xy), 0.0), found.w);
}
#endif
#if WIND && !POOL
// Waves from 5 m to 7 cm of sea: a quarter of the roughness in longer ones and another in shorter ones, about as in a wind of 10 m/s
// (Elfouhaily et al. 1997). The other half is finer and never seen but in the glitter.
vec3 ripples(vec2 xz, float width) {
    vec4 longer = wave_trains(xz / sea_scale, vec2(0.96, 0.28), width / sea_scale, 24.0);
    vec4 shorter = wave_trains(xz / sea_scale, vec2(0.92, -0.39), width / sea_scale, 4.7);
    float group = grouped(longer);
    float square = gusts(xz, width) * sea_roughness / 4.0;
    return vec3(sqrt(square) * (longer.xy + sqrt(group) * shorter.xy), square * (longer.z + group * (shorter.z + 2.0)));
}
#else
#if !POOL
const float BREEZE = 6.0e-3;    // mean square of the slopes of the usual layers
#if FINE
const float FINER = 2.8;        // times as short is the next layer
const float FINER_STEEPNESS = 1.0e-3;   // mean square of the slopes of a layer finer than the usual three

// Such layers go on until their tile is 5 to 14 metres long, however large the scene is.
float finer_layers() {
    return clamp(floor(log2(grain_extent / 325.0) / log2(FINER)), 0.0, 6.0);
}
#endif
#endif

#if POOL
uniform sampler2D ripple_tile;  // slopes of the noise's broad features (waterview/render/noise.py)
#endif

// Ripples of a light breeze. Those of a pool are made of noise that moves with time, of which only the broad features are used, which
// focus sunlight on the floor; they are broad enough for the map of waves to hold them (waves.frag).
vec3 ripples(vec2 xz, float width) {
#if POOL
    float drift = time * 0.006;
    vec2 at = xz / (0.23 * grain_extent);
    vec2 slope = 0.00080 * textureLod(ripple_tile, at + vec2(drift, 0.4 * drift), 1.0).rg;
#if FINE
    slope += 0.00025 * textureLod(ripple_tile, 1.9 * at.yx - vec2(0.7 * drift, drift), 0.6).rg;
#endif
    const float lost = 0.0;
#else
    float side = 0.125 * grain_extent;
    vec4 longest = wave_trains(xz, vec2(0.96, 0.28), width, side);
    float square = 0.4 * BREEZE;
#if FINE
    float gust = gusts(xz, width);
    square *= gust;
#endif
    vec2 slope = sqrt(square) * longest.xy;
    float lost = square * longest.z;
#if FINE
    gust *= grouped(longest);
    square = 0.3 * BREEZE * gust;
    vec2 aside = vec2(0.92, -0.39);
    // The second and third layer and finer ones. Where pixels are as wide as a sixth of a layer's tile, nothing is left of it.
    float finer = finer_layers();
    int layers = 2 + int(clamp(log2(side / (5.7 * width)) / log2(FINER) - 2.0, 0.0, finer));
    lost += FINER_STEEPNESS * gust * (finer + 2.0 - float(layers));
    int layer = 0;
    do {
        side /= FINER;
        vec4 fine = wave_trains(xz, aside, width, side);
        slope += sqrt(square) * fine.xy;
        lost += square * fine.z;
        aside.y = -aside.y;
        if (layer == 1) square = FINER_STEEPNESS * gust;
    } while (++layer < layers);
#else
    lost += 0.6 * BREEZE;
#endif
#endif
    return vec3(slope, lost);
}
#endif
#endif
