// What water does to light: what its surface mirrors, what it lets through, what it scatters.
#include "light.glsl"

const float INDEX = 1.333;

// Share of unpolarised light that the surface of water mirrors, exact for a cosine of incidence in air.
float fresnel(float cosine) {
    float g = sqrt(INDEX * INDEX - 1.0 + cosine * cosine);
    float a = (g - cosine) / (g + cosine);
    float b = (cosine * (g + cosine) - 1.0) / (cosine * (g - cosine) + 1.0);
    return 0.5 * a * a * (1.0 + b * b);
}

// The same for light that comes from below, by its cosine of incidence in water; beyond 48.6 degrees all of it.
float fresnel_below(float cosine) {
    float square = 1.0 - INDEX * INDEX * (1.0 - cosine * cosine);
    return square <= 0.0 ? 1.0 : fresnel(sqrt(square));
}

// Light scattered towards the eye on `way` metres along a unit ray from `from`, itself dimmed by the depth it comes
// from. `sun_in` is the sunlight that enters the water there, per area of surface.
vec3 water_glow(vec3 from, vec3 ray, float way, vec3 sun_in) {
    vec3 dimming = absorption.rgb * max(1.0 - DOWNWARD * ray.y, 0.15);
    vec3 daylight = (sun_in / PI + sky_light[0].rgb + sky_light[2].rgb) * daylight_under_water(box_low.w - from.y);
    return scatter.rgb * daylight * (absorption.rgb / dimming) * (1.0 - exp(-dimming * way));
}
