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

// Light scattered into `far` metres of a unit ray from the eye. Most of the sun's share comes as light shafts instead
// (light_shafts.frag). It comes from near the eye, so clouds shade it as they do there, whatever lies behind it in their shadow.
vec3 inscatter_from_eye(vec3 ray, float far) {
    go_under_clouds(eye);
    return inscatter(eye_depth(), ray, far, 0.25 * sun_light * towards_sun.y * sun_transmittance);
}

// Light of a surface `far` metres along a unit ray, after the water between; after the air for pixels that look from there.
vec3 through_water(vec3 light, vec2 uv, vec3 ray, float far) {
    if (near_plane_depth(uv) <= 0.0) return through_air(light, ray, far);
    return light * exp(-absorption * far) + inscatter_from_eye(ray, far);
}
