#version 330
// Floating bodies: smooth paint in sun and sky, and in the light that reaches it through the water.
#include "sky.glsl"
#include "light.glsl"

in vec3 position;
in vec3 normal;
in vec3 colour;
out vec4 shown;

const float GLOSS = 0.04;       // share that paint mirrors where it is looked at straight
const float ROUGH = 0.02;       // mean square of its slopes

vec3 gloss(vec3 facing, vec3 to_eye, float sun_seen) {
    vec3 halfway = normalize(to_eye + sun.xyz);
    float square = max(dot(facing, halfway), 1e-3);
    square *= square;
    float spark = exp((square - 1.0) / (square * ROUGH)) / (PI * ROUGH * square * square);
    float share = GLOSS + (1.0 - GLOSS) * pow(1.0 - max(dot(facing, to_eye), 0.0), 5.0);
    vec3 mirrored = reflect(-to_eye, facing);
    vec3 around = textureLod(sky_map, sky_uv(mirrored), 3.0).rgb * smoothstep(-0.25, 0.25, mirrored.y);
    return share * around + GLOSS * 0.25 * spark * sun_seen * max(dot(facing, sun.xyz), 0.0) * sun_light.rgb;
}

void main() {
    vec3 facing = normalize(normal);
    vec3 to_eye = eye.xyz - position;
    float far = length(to_eye);
    to_eye /= far;
    float width = pixel_width(far);
    if (position.y < box_low.w) {
        shown = vec4(lit_below(position, facing, colour, 1.0, width), 1.0);
    } else {
        float sun_seen = unshaded(sunbeam(position, width), position);
        shown = vec4(lit_above(facing, colour, sun_seen, 1.0) + gloss(facing, to_eye, sun_seen), 1.0);
    }
}
