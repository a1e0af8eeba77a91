#version 330
// The map that the water is shaded with: slopes, the mean of their squares, and foam. It is so fine that linear
// interpolation looks smooth, and its mipmaps hold means and spread.
#include "bicubic.glsl"
#include "block.glsl"
#include "foam_motion.glsl"
#if POOL
#define WIND 0
#include "ripples.glsl"
#endif

uniform sampler2D heights;
uniform sampler2D slopes;       // rg slopes of the normal along x and z
uniform sampler2D foam;         // r foam that the water publishes, 0-1
uniform sampler2D before;       // a foam in the map of the frame before
uniform sampler2D drift_before; // rg velocity of the surface then [m/s]; not interpolated
uniform sampler2D wet_and_wake_before;  // r share to which the ground was wet then, g foam of turbulent wakes
uniform float left;             // share of the foam that has not faded since
uniform float merged;           // of a wake's foam, times its density: bubbles that have met and merged since, against those left
uniform float renewed;          // share of it that is left otherwise
uniform float dried;            // share of the wetness that is left since
uniform float elapsed;          // time since then [s]
uniform float ripple_strength;  // 1 as usual

in vec2 uv;
layout(location = 0) out vec4 waves;
layout(location = 1) out vec2 drift;
layout(location = 2) out vec2 wet_and_wake;

const float THICKEST = 4.0; // foam over 1 covers the water and lasts longer: hulls leave it behind them

#if FIND_FOAM
const float FROM_STEEPNESS = 0.95;
#else
const float FROM_STEEPNESS = 0.0;   // the water publishes its own foam
#endif

void main() {
#if SMOOTH
    vec2 slope = bicubic(slopes, uv, grid_texel).rg;
#else
    vec2 slope = textureLod(slopes, uv, 0.0).rg;
#endif
    float depth = water_level - textureLod(bed, uv, 0.0).r;
    float height = textureLod(heights, uv, 0.0).r;
    float here = breaking_foam(height, slope, depth, FROM_STEEPNESS);
    wet_and_wake = vec2(step(0.0, depth + height), 0.0);
#if !FIND_FOAM
    here = max(here, textureLod(foam, uv, 0.0).r);
#endif
    drift = vec2(0.0);
    float old = 0.0;
    // At first there is no frame before, and what new textures hold is anyone's guess: 0 times that may not be 0.
    if (left > 0.0) {
        wet_and_wake.r = max(wet_and_wake.r, dried * texelFetch(wet_and_wake_before, ivec2(gl_FragCoord.xy), 0).r);
        drift = foam_drift(textureLod(drift_before, uv, 0.0).rg, slope, elapsed);
        old = left * carried_foam(before, uv, drift, elapsed);
#if HULLS
        // It spreads no more than the look-up does: by texels, as other foam does, a wake in a coarse map would be twice as broad as its
        // hull.
        wet_and_wake.g = textureLod(wet_and_wake_before, uv - drift * (elapsed / grid_spacing) * grid_texel, 0.0).g;
        wet_and_wake.g = min(renewed * wet_and_wake.g / (1.0 + merged * wet_and_wake.g), THICKEST);
        old = max(old, wet_and_wake.g);
#endif
    }
#if POOL
    vec2 xz = box_low.xz + grid_spacing * (uv / grid_texel - 0.5);
    slope += ripple_strength * ripples(xz, grid_spacing / grid_texel.x / float(textureSize(before, 0).x)).rg;
#endif
    waves = vec4(slope, dot(slope, slope), clamp(max(here, old), 0.0, THICKEST));
}
