// Optics of water: reflection at its surface, absorption and scattering within.
#include "light.glsl"

const float INDEX = 1.333;  // refractive index of water

// Fresnel reflectance of water for unpolarised light from the air, exact, by the cosine of incidence.
float fresnel(float cosine) {
    float g = sqrt(INDEX * INDEX - 1.0 + cosine * cosine);
    float a = (g - cosine) / (g + cosine);
    float b = (cosine * (g + cosine) - 1.0) / (cosine * (g - cosine) + 1.0);
    return 0.5 * a * a * (1.0 + b * b);
}

// The same for light from below, by its cosine of incidence in the water; 1 beyond 48.6 degrees (total reflection).
float fresnel_below(float cosine) {
    float square = 1.0 - INDEX * INDEX * (1.0 - cosine * cosine);
    return square <= 0.0 ? 1.0 : fresnel(sqrt(square));
}

// Light scattered towards the eye along `path` metres of a unit ray that begins at a depth below the surface over it, which
// dims daylight. `sun_in` is the sunlight that enters the water there, per area of surface; `veil` of a metre hides what is behind.
vec3 inscatter(float depth, vec3 ray, float path, vec3 sun_in, vec3 veil) {
    vec3 dimming = veil * max(1.0 - DOWNWARD * ray.y, 0.15);
    vec3 daylight = (sun_in / PI + sky_light[0].rgb + sky_light[2].rgb) * daylight_under_water(depth);
    return backscatter * daylight * (veil / dimming) * (1.0 - exp(-dimming * path));
}
