// Materials of the ground, as albedos.
#include "view.glsl"

// Share of rock `depth` metres under water that algae cover: pale crusts of red ones and dark tufts of brown ones, which terrain.frag
// tells apart.
float algae_at(float depth) {
    return smoothstep(0.0, 0.1 * mean_depth, depth);
}

// Ground `depth` metres under water, of which a share `rough` is rock; `grain` is noise of mean 0.
vec3 under_water(float depth, float rough, float grain, vec3 rock) {
    vec3 sand = vec3(0.58, 0.50, 0.36) * (1.0 + 0.16 * grain);
    vec3 silt = vec3(0.20, 0.21, 0.19) * (1.0 + 0.22 * grain);
    vec3 bottom = mix(sand, silt, smoothstep(0.3, 1.8, depth / mean_depth + 0.22 * grain));
    return mix(bottom, rock * mix(vec3(0.75), vec3(0.79, 0.73, 0.62), algae_at(depth)), rough);
}

// Ground on which water gathers: 10^`flow` points drain through it. It is steep to a share of `steep`, and `hollow` as curved
// upwards, from -1 to 1. Gullies are bare, level ground is lush, hollows are green and crests dry.
vec3 watered(vec3 land, float flow, float steep, float hollow, float grain) {
    vec3 earth = vec3(0.150, 0.125, 0.090) * (1.0 + 0.25 * grain);
    vec3 meadow = vec3(0.072, 0.142, 0.036) * (1.0 + 0.2 * grain);
    vec3 dry = vec3(0.225, 0.200, 0.105);
    land = mix(land, dry, 0.4 * smoothstep(0.1, 0.8, -hollow + 0.25 * grain));
    land = mix(land, land * vec3(0.62, 0.80, 0.60), smoothstep(0.1, 0.8, hollow + 0.25 * grain));
    land = mix(land, meadow, 0.75 * smoothstep(1.3, 2.6, flow + 0.3 * grain) * (1.0 - smoothstep(0.10, 0.35, steep)));
    return mix(land, earth, 0.8 * smoothstep(1.6, 2.8, flow + 0.3 * grain) * smoothstep(0.3, 0.6, steep));
}

// Ground `above` metres above the water, a `share` (0-1) of the height of the highest ground; `grain` is fine noise and
// `patches` broad noise of mean 0. Snow lies above the height `snow_line`.
vec3 on_land(float above, float share, float snow_line, float rough, float grain, float patches, vec3 rock) {
    vec3 grass = mix(vec3(0.090, 0.130, 0.042), vec3(0.155, 0.172, 0.066), smoothstep(-0.5, 0.7, grain));
    vec3 forest = vec3(0.040, 0.075, 0.028) * (1.0 + 0.35 * grain);
    vec3 heath = vec3(0.210, 0.185, 0.110) * (1.0 + 0.2 * grain);
    vec3 snow = vec3(0.86, 0.89, 0.94);
    vec3 cover = mix(grass, forest, smoothstep(-0.15, 0.25, patches) * (1.0 - smoothstep(0.42, 0.6, share)));
    cover = mix(cover, heath, smoothstep(0.38, 0.58, share + 0.12 * patches));
    cover = mix(cover, rock, max(rough, smoothstep(0.55, 0.72, share + 0.08 * patches)));
    float snowed = smoothstep(0.93, 1.07, above / max(snow_line, 0.01) + 0.14 * patches + 0.07 * grain);
    return mix(cover, snow, snowed * (1.0 - 0.75 * rough));
}
