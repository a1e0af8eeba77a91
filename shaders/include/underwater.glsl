// Looking from under water: which pixels do, and what the water between the eye and a surface does to light.
#include "optics.glsl"
#include "surface.glsl"

uniform sampler2D near_water;   // near_plane_depth over the picture (near_water.frag)

// Depth under water of this pixel's point on the near plane [m]; negative in air. The near plane stands for the lens, so the
// surface cuts the picture cleanly.
float near_plane_depth(vec2 uv) {
#if !SEA
    // The map is coarse; the block's sides are sharp.
    vec2 xz = eye.xz + near_plane * picture_ray(uv).xz;
    if (xz != clamp(xz, box_low.xz, box_high.xz)) return -1e9;
#endif
    return textureLod(near_water, uv, 0.0).r;
}

// Depth of the eye under water [m]: under still water, or in a crest above it if the sea goes on around the block.
float eye_depth() {
#if SEA
    return max(water_level - eye.y, near_plane_depth(vec2(0.5)));
#else
    return water_level - eye.y;
#endif
}

// Share of the sunlight in the water that is scattered mostly forwards; the rest goes to all directions alike.
const float FORWARD = 0.75;

// Angle by which light that was scattered three times and more has been turned [rad]: half of it turns by less than 0.1 each time
// (Petzold 1972).
const float TURNED = 0.3;

// Light that water scatters from a beam of the sun towards the eye along -ray, relative to what it would scatter if it did so to all
// directions alike: Henyey and Greenstein's phase function (1941) times 4 pi. The sunlight goes along refracted_sun.
float sun_scattering(vec3 ray) {
    const float g = 0.55;
    float lobe = 1.0 + g * g + 2.0 * g * dot(ray, refracted_sun);
    return (1.0 - g * g) / (lobe * sqrt(lobe));
}

// By how much a metre of water hides what is behind it with light that it scatters. It scatters blue as much as green, also where it
// absorbs less of it.
vec3 veil() {
    return max(absorption, absorption.g);
}

// What is left, by colour, of a veil after so many metres more, relative to what is left of other light: all of them make up one.
vec3 behind_veil(float way) {
    return exp(-veil() * way) / max(left_after(way), 1e-9);
}

// Light that a metre of water at the surface scatters forwards from the sun, along a unit ray from the eye; `sunlight` is that which
// enters still water, per area of surface.
vec3 scattered_forwards(vec3 ray, vec3 sunlight) {
    return FORWARD / PI / -refracted_sun.y * sun_scattering(ray) * backscatter * veil() * sunlight;
}

// Sunlight that enters still water, per area of surface.
vec3 sun_in_water() {
    return sun_light * (towards_sun.y * sun_transmittance);
}

// Sunlight that is scattered forwards into `path` metres of a unit ray that begins at a depth: the mean of the light shafts.
vec3 shafts_mean(float depth, vec3 ray, float path) {
    float slant = DOWNWARD / -refracted_sun.y;
    vec3 dimming = veil() * max(1.0 - slant * ray.y, 0.01);
    return scattered_forwards(ray, sun_in_water()) * left_after(slant * max(depth, 0.0)) * (1.0 - exp(-dimming * path)) / dimming;
}

// Light scattered into `path` metres of a unit ray that begins at a depth, with the mean of the light shafts. Ground of wet sand sends
// light up again, which makes shallow water brighter: without it a dark band would lie along the horizon.
vec3 inscatter_within(float depth, vec3 ray, float path) {
    vec3 sent_up = vec3(0.24, 0.21, 0.15) * left_after(2.0 * DOWNWARD * max(mean_depth - depth, 0.0));
    return inscatter(depth, ray, path, (1.0 - FORWARD + sent_up) * sun_in_water(), veil()) + shafts_mean(depth, ray, path);
}

// The same for `far` metres of a unit ray from the eye, to which light_shafts.frag adds by how much the shafts differ from their mean; in
// a closed pool, which has no horizon, all of them. It comes from near the eye, so clouds shade it as they do there, whatever lies behind
// it in their shadow.
vec3 inscatter_from_eye(vec3 ray, float far) {
    go_under_clouds(eye);
#if SEA || OPEN_SIDES
    return inscatter_within(eye_depth(), ray, far);
#else
    return inscatter(eye_depth(), ray, far, (1.0 - FORWARD) * sun_in_water(), veil());
#endif
}

// Width of what this pixel shows of the ground `far` metres off, where it is `width` wide in air. What is far in the sea keeps more of
// its brightness than of its sharpness, once most of its light has been scattered, by small angles. Until then it is sharp.
float width_through_water(float width, vec2 uv, float far) {
    float dimmed = absorption.g * far;
    float scattered = 1.0 - (1.0 + dimmed + 0.5 * dimmed * dimmed) * exp(-dimmed);  // more than twice
    return width + step(0.0, near_plane_depth(uv)) * TURNED * scattered * far;
}

// Light of a surface `far` metres along a unit ray, after the water between; after the air for pixels that look from there.
vec3 through_water(vec3 light, vec2 uv, vec3 ray, float far) {
    if (near_plane_depth(uv) <= 0.0) return through_air(light, ray, far);
    return light * left_after(far) + inscatter_from_eye(ray, far);
}
