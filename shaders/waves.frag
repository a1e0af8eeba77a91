#version 330
// From a frame's heights, slopes and foam to the map that the water is shaded with, fine enough for linear interpolation
// to look smooth; its mipmaps hold means and spread.
#include "bicubic.glsl"
#include "block.glsl"
#if POOL
#include "ripples.glsl"
#endif

uniform sampler2D heights;
uniform sampler2D slopes;   // rg slopes of the normal along x and z
uniform sampler2D foam;     // r what the model publishes, 0-1
uniform sampler2D before;   // a foam as it was when the last frame was drawn
uniform sampler2D drift_before; // rg what the water there moved with [m/s]
uniform float left;         // share of the foam that is left
uniform float elapsed;      // since then [s]

in vec2 uv;
layout(location = 0) out vec4 waves;
layout(location = 1) out vec2 drift;

const float GRAVITY = 9.81;
const float STEADY = 1.5;   // time in which motion at the surface dies down to a third [s]

// Foam that breaks out of steep waves where the model publishes none (OWN), and of all waves as they run up the shore: a wave breaks
// when its crest is about as high as the water is deep (McCowan 1894: 0.78).
float breaking(vec2 slope) {
    float height = textureLod(heights, uv, 0.0).r;
    float tilt = length(slope);
#if OWN
    float steep = 0.95 * smoothstep(0.42, 0.80, tilt);
#else
    const float steep = 0.0;
#endif
    float depth = box_low.w - textureLod(bed, uv, 0.0).r;
    float crest = height / max(depth, 0.005 * absorption.w);
    float lively = smoothstep(0.004, 0.03, height / absorption.w) * smoothstep(0.02, 0.10, tilt);
    return max(steep, 0.85 * lively * step(0.0, depth + height) * smoothstep(0.45, 1.0, crest));
}

void main() {
#if SMOOTH
    vec2 slope = bicubic(slopes, uv, grid.zw).rg;
#else
    vec2 slope = textureLod(slopes, uv, 0.0).rg;
#endif
    float here = breaking(slope);
#if !OWN
    here = max(here, textureLod(foam, uv, 0.0).r);
#endif
    // Water at the surface is driven down its own slopes, and carries foam: forth under crests, back under troughs.
    drift = (textureLod(drift_before, uv, 0.0).rg + GRAVITY * elapsed * slope) * exp(-elapsed / STEADY) * step(1e-6, left);
    vec2 from = uv - drift * (elapsed / grid.x) * grid.zw;
    // Foam drifts apart a little, and what is thin goes first: blobs become lace.
    vec2 aside = 0.6 / vec2(textureSize(before, 0));
    float old = 0.5 * (textureLod(before, from + aside, 0.0).a + textureLod(before, from - aside, 0.0).a);
#if POOL
    slope += ripples(box_low.xz + grid.x * (uv / grid.zw - 0.5), grid.x / grid.z / float(textureSize(before, 0).x)).rg;
#endif
    waves = vec4(slope, dot(slope, slope), clamp(max(here, left * old), 0.0, 1.0));
}
