#version 330
// Floating bodies, painted and glossy: lit by sun and sky in air, and by the light that reaches them in the water.
#include "sky.glsl"
#include "light.glsl"

in vec3 position;
in vec3 normal;
in vec3 colour;
out vec4 shown;

const float GLOSS = 0.04;       // reflectance of the paint at normal incidence (F0)
const float ROUGH = 0.02;       // mean square of the slopes of its facets

// Specular reflection of sun (Beckmann) and sky (Schlick's Fresnel term).
vec3 gloss(vec3 facing, vec3 to_eye, float sun_seen) {
    vec3 halfway = normalize(to_eye + towards_sun);
    float square = max(dot(facing, halfway), 1e-3);
    square *= square;
    float spark = exp((square - 1.0) / (square * ROUGH)) / (PI * ROUGH * square * square);
    float share = GLOSS + (1.0 - GLOSS) * pow(1.0 - max(dot(facing, to_eye), 0.0), 5.0);
    vec3 reflected = reflect(-to_eye, facing);
    vec3 around = textureLod(sky_map, sky_uv(reflected), 3.0).rgb * smoothstep(-0.25, 0.25, reflected.y);
    return share * around + GLOSS * 0.25 * spark * sun_seen * max(dot(facing, towards_sun), 0.0) * sun_light;
}

void main() {
    vec3 facing = normalize(normal);
    vec3 to_eye = eye - position;
    float far = length(to_eye);
    to_eye /= far;
    float width = pixel_width(far);
    if (position.y < water_level) {
        shown = vec4(lit_below(position, facing, colour, 1.0, width), 1.0);
    } else {
        float sun_seen = unshadowed(caustics_at(position, width), position);
        shown = vec4(lit_above(facing, colour, sun_seen, 1.0) + gloss(facing, to_eye, sun_seen), 1.0);
    }
}
