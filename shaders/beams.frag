#version 330
// Beams of sunlight in the water, seen from under it: the caustics drawn out from the ground to the surface.
#include "marks.glsl"
#include "diving.glsl"

in vec2 uv;
out vec4 colour;

// Interleaved gradient noise (Jimenez 2014), 0 to 1: shifts the steps of neighbouring pixels against each other.
float jitter(vec2 pixel) {
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
}

// Henyey and Greenstein's phase function for light that water scatters forwards.
float phase(float cosine) {
    const float g = 0.55;
    float lobe = 1.0 + g * g - 2.0 * g * cosine;
    return (1.0 - g * g) / (4.0 * PI * lobe * sqrt(lobe));
}

void main() {
    vec2 place = uv * screen.xy;
    float depth = linear_depth(texelFetch(depths, ivec2(place), 0).r);
    vec3 ray = picture_ray(uv);
    float stretch = length(ray);
    ray /= stretch;
    float far = min(depth * stretch, 3.0 / max(absorption.g, 1e-9));
    float stride = far / float(STEPS);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < STEPS; ++i) {
        float way = stride * (float(i) + jitter(gl_FragCoord.xy));
        vec3 at = eye.xyz + way * ray;
        float under = box_low.w - at.y;
        vec4 beam = sunbeam(at, 0.5 * pixel_width(way) + 0.01 * far);
        vec3 left = exp(-absorption.rgb * (way + DOWNWARD * max(under, 0.0) / -sunk.y));
        sum += left * beam.rgb * unshaded(beam, at) * step(0.0, under);
    }
    // What the water scatters of a beam: about its absorption times the share that comes back, as elsewhere.
    vec3 scattering = 6.0 * scatter.rgb * absorption.rgb * phase(dot(ray, sunk.xyz)) * PI;
    float seen = step(0.0, lens_depth(uv));
    colour = vec4(seen * sum * stride * scattering * sun_light.rgb * sun.y * sunk.w / -sunk.y, 1.0);
}
