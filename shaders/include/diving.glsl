// Looking from under water: which pixels do, and what the water between the eye and a surface does to light.
#include "optics.glsl"
#include "heights.glsl"

// How deep under water the lens is where the light of this pixel enters it [m]; below 0 in air. The lens is as far in
// front of the eye as the nearest thing that is drawn, so that the surface seems to cut it cleanly.
float lens_depth(vec2 uv) {
    vec3 at = eye.xyz + right.w * picture_ray(uv);
#if !SEA
    if (any(lessThan(at.xz, box_low.xz)) || any(greaterThan(at.xz, box_high.xz))) return -1.0;
#endif
    return box_low.w + height_at(at.xz) - at.y;
}

// Light scattered into `far` metres of a unit ray from the eye. Most of the sun's share comes with its beams instead
// (beams.frag).
vec3 glow_from_eye(vec3 ray, float far) {
    return water_glow(eye.xyz, ray, far, 0.25 * sun_light.rgb * sun.y * sunk.w);
}

// What is left of a surface's light `far` metres along a unit ray, for pixels that look from under water.
vec3 through_water(vec3 light, vec2 uv, vec3 ray, float far) {
    if (lens_depth(uv) <= 0.0) return light;
    return light * exp(-absorption.rgb * far) + glow_from_eye(ray, far);
}
