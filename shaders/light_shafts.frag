#version 330
// Shafts of sunlight in the water, seen from under it: the caustic map, ray-marched from the eye to the ground.
#include "gbuffer.glsl"
#include "underwater.glsl"
#include "water_rays.glsl"
#if SEA
#include "ground_beyond.glsl"
#endif

in vec2 uv;
out vec4 colour;

// What part of a step the first one begins with, 0 to 1. It offsets the steps of neighbouring pixels from each other. waterline.frag
// takes the mean of two by two of them, in which this pattern vanishes: all four together march with steps a quarter as long.
float first_step(ivec2 pixel) {
    return 0.125 + 0.25 * float((pixel.x & 1) * 2 + ((pixel.x ^ pixel.y) & 1));
}

// How far a unit ray from the eye goes on in water, by the value of the depth buffer there and the distance that it stands for.
float water_before(vec3 ray, float depth, float far) {
#if SEA
    // Neither the ground beyond the block nor the surface over it is in the geometry buffer.
    if (depth >= 1.0) {
        bool cut;
        float to_surface = max(eye_depth(), 0.0) / max(ray.y, 1e-4);
        return ray.y > 0.0 ? to_surface : distance_in_sea(eye, ray, ground_sunk(), cut);
    }
#endif
#if OPEN_SIDES && !SEA
    if (depth >= 1.0) return distance_to_side(eye, ray, 1e6 * extent);
#endif
    return far;
}

void main() {
    vec2 place = uv * picture_size;
    float depth = texelFetch(gbuffer_depth, ivec2(place), 0).r;
    vec3 ray = picture_ray(uv);
    float stretch = length(ray);
    ray /= stretch;
    float whole = water_before(ray, depth, linear_depth(depth) * stretch);
    float far = min(whole, 3.0 / max(absorption.g, 1e-9));
    float stride = far / float(STEPS);
    float first = first_step(ivec2(gl_FragCoord.xy));
    float rise = max(0.25 * stride * abs(ray.y), 1e-6);    // of what one of the four steps stands for
    vec3 sum = vec3(0.0);
    float surface = eye.y + eye_depth();
    go_under_clouds(eye);
    for (int i = 0; i < STEPS; ++i) {
        float path = stride * (float(i) + first);
        vec3 at = eye + path * ray;
        float under = surface - at.y;
        vec4 beam = caustics_at(at, 0.5 * pixel_width(path) + 0.01 * far);
        vec3 left = exp(-veil() * path) * left_after(DOWNWARD / -refracted_sun.y * max(under, 0.0));
#if BODIES
        beam.rgb += beam.a * past_bodies(at, -refracted_sun);
#endif
        sum += left * beam.rgb * clamp(0.5 + under / rise, 0.0, 1.0);
    }
    vec3 light = sum * stride * scattered_forwards(ray, sun_in_water());
    // What comes from farther off is not much, and without pattern.
    float rest = min(whole, ray.y > 0.0 ? max(eye_depth(), 0.0) / ray.y : whole) - far;
    light += exp(-veil() * far) * shafts_mean(eye_depth() - far * ray.y, ray, max(rest, 0.0));
#if SEA || OPEN_SIDES
    // Their mean is in the picture already (inscatter_from_eye). Only what they are brighter or darker is drawn in coarse texels: these
    // would mix the long ways just below the horizon with the short ones to the surface just above it.
    light -= shafts_mean(eye_depth(), ray, whole);
#endif
    colour = near_plane_depth(uv) < 0.0 ? vec4(0.0) : vec4(light, 1.0);
}
