#version 330
// Shafts of sunlight in the water, seen from under it: the caustic map, ray-marched from the eye to the ground.
#include "gbuffer.glsl"
#include "underwater.glsl"

in vec2 uv;
out vec4 colour;

// What part of a step the first one begins with, 0 to 1. It offsets the steps of neighbouring pixels from each other. waterline.frag
// takes the mean of two by two of them, in which this pattern vanishes: all four together march with steps a quarter as long.
float first_step(ivec2 pixel) {
    return 0.125 + 0.25 * float((pixel.x & 1) * 2 + ((pixel.x ^ pixel.y) & 1));
}

// Henyey and Greenstein's phase function for forward scattering in water.
float phase(float cosine) {
    const float g = 0.55;
    float lobe = 1.0 + g * g - 2.0 * g * cosine;
    return (1.0 - g * g) / (4.0 * PI * lobe * sqrt(lobe));
}

void main() {
    vec2 place = uv * picture_size;
    float depth = linear_depth(texelFetch(gbuffer_depth, ivec2(place), 0).r);
    vec3 ray = picture_ray(uv);
    float stretch = length(ray);
    ray /= stretch;
    float far = min(depth * stretch, 3.0 / max(absorption.g, 1e-9));
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
        vec3 left = exp(-absorption * (path + DOWNWARD * max(under, 0.0) / -refracted_sun.y));
#if BODIES
        beam.rgb += beam.a * past_bodies(at, -refracted_sun);
#endif
        sum += left * beam.rgb * clamp(0.5 + under / rise, 0.0, 1.0);
    }
    // Scattering coefficient, estimated from absorption and backscatter.
    vec3 scattering = 6.0 * backscatter * absorption * phase(dot(ray, refracted_sun)) * PI;
    float seen = step(0.0, near_plane_depth(uv));
    colour = seen * vec4(sum * stride * scattering * sun_light * towards_sun.y * sun_transmittance / -refracted_sun.y, 1.0);
}
