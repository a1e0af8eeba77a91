// The sky of Hoffman and Preetham (2002): sunlight scattered once in a uniform layer, by air (Rayleigh's phase function) and
// by haze (Henyey and Greenstein's). Multiple scattering is added, and for thick haze the brightness of an overcast sky (CIE;
// Moon and Spencer 1942).
#include "view.glsl"

uniform sampler2D sky_map;

const float FLOOR_REACH = 3.0;  // of the floor map from the block's middle, in units of the longer side

// Air along a direction whose elevation has this sine, in vertical atmospheres.
float air_mass(float sine) {
    return 1.0 / (max(sine, 0.0) + 0.06);
}

// Radiance of the sky in a unit direction, without the sun's disk.
vec3 sky_radiance(vec3 direction) {
    float mu = dot(direction, towards_sun);
    float mass = air_mass(direction.y);
    const float g = 0.78;
    float lobe = 1.0 + g * g - 2.0 * g * mu;
    float haze_phase = (1.0 - g * g) / (4.0 * PI * lobe * sqrt(lobe));
    float air_phase = 3.0 / (16.0 * PI) * (1.0 + mu * mu);
    vec3 both = rayleigh.rgb + haze.rgb;
    vec3 once = (rayleigh.rgb * air_phase + haze.rgb * haze_phase) / both;
    vec3 often = 0.055 * (0.35 + 0.65 * rayleigh.rgb / (rayleigh.rgb + 0.5 * haze.rgb));
    // Sunlight is dimmed on its way down, but less where it is scattered high up.
    vec3 light = sun_power * exp(-both * min(sun_air_mass, 14.0) * 0.55);
    vec3 overcast = sun_power * vec3(0.036, 0.040, 0.044) * (0.3 + 0.7 * towards_sun.y) * (1.0 + 2.0 * max(direction.y, 0.0))
                  * (1.0 - exp(-0.6 * haze.rgb * haze.rgb));
    return light * (once + often) * (1.0 - exp(-both * mass)) + overcast;
}

// Light of the floor that the block stands on, where it sees these shares of sun and sky.
vec3 floor_radiance(float sun_seen, float sky_seen) {
    vec3 sky = sky_light[0].rgb + sky_light[2].rgb;
    return vec3(0.026, 0.032, 0.042) * (sun_light * (towards_sun.y * sun_seen / PI) + sky * sky_seen);
}

// Texture coordinate of a direction in the sky map: an octahedral map of the upper hemisphere.
vec2 sky_uv(vec3 direction) {
    vec3 d = vec3(direction.x, max(direction.y, 0.0), direction.z);
    vec2 p = d.xz / (abs(d.x) + d.y + abs(d.z));
    return 0.5 + 0.5 * vec2(p.x + p.y, p.x - p.y);
}

// The inverse of `sky_uv`.
vec3 sky_direction(vec2 uv) {
    vec2 q = 2.0 * uv - 1.0;
    vec2 p = 0.5 * vec2(q.x + q.y, q.x - q.y);
    return normalize(vec3(p.x, 1.0 - abs(p.x) - abs(p.y), p.y));
}
