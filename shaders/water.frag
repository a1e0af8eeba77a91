#version 330
// The water's surface: mirrored sky, the sun's glitter, and the ground seen through it.
#include "view.glsl"
#include "sky.glsl"
#include "ground_light.glsl"
#include "water_rays.glsl"
#include "water.glsl"
#include "bicubic.glsl"

uniform sampler2D slopes;
uniform sampler2D noise;

in vec3 position;
out vec4 colour;

// Slopes (x, z) of the normal: the model's, and where detail is wanted the breath of wind that calm water never lacks.
vec2 surface_slope(vec2 xz) {
    vec2 uv = field_uv(xz);
#if FINE
    vec2 slope = bicubic(slopes, uv, grid.zw).rg;
    float drift = eye.w * 0.006;
    slope += 0.00045 * texture(noise, xz / (0.11 * forward.w) + vec2(drift, 0.4 * drift)).yz;
    slope += 0.00035 * texture(noise, xz.yx / (0.043 * forward.w) - vec2(0.7 * drift, drift)).yz;
    return slope;
#else
    return texture(slopes, uv).rg;
#endif
}

// Sunlight mirrored by the unresolved facets of the surface (Beckmann), over the cosine towards the eye.
float glitter(vec3 normal, vec3 to_eye, float cosine, float rough) {
    vec3 halfway = normalize(to_eye + sun.xyz);
    float across = dot(normal, halfway);
    float square = across * across;
    float spread = rough * rough;
    float share = exp((square - 1.0) / (square * spread)) / (PI * spread * square * square);
    return share * fresnel(max(dot(to_eye, halfway), 0.0)) / max(4.0 * cosine, 0.12);
}

void main() {
    vec3 to_eye = eye.xyz - position;
    float far = length(to_eye);
    to_eye /= far;
    vec2 slope = surface_slope(position.xz);
    vec3 normal = normalize(vec3(slope.x, 1.0, slope.y));
    float cosine = max(dot(normal, to_eye), 0.02);
    float sun_seen = texture(relief_map, block_uv(position.xz)).z;

    vec3 sun_in = sun_light.rgb * (sun_seen * max(dot(normal, sun.xyz), 0.0));
    vec2 uv = gl_FragCoord.xy * screen.zw;
    vec4 behind = opaque_at(uv);
    vec3 below = seen_through(position, refract(-to_eye, normal, 1.0 / INDEX), behind.rgb, sun_in);
    vec3 mirrored = reflect(-to_eye, normal);
    mirrored.y = abs(mirrored.y);
    vec3 above = textureLod(sky_map, sky_uv(mirrored), 0.0).rgb;
    vec3 water = mix(below, above, fresnel(cosine));
    water += sun_light.rgb * (sun_seen * glitter(normal, to_eye, cosine, 0.065));

    // Where the water thins out to nothing its edge is drawn out over a little depth, so that no hard line is left.
    float thick = (behind.a * gl_FragCoord.w - 1.0) * far * max(to_eye.y, 0.05);
    float shown = smoothstep(0.0, 0.012 * absorption.w + 0.0002 * forward.w, thick);
    colour = vec4(mix(behind.rgb, water, shown), 1.0);
}
