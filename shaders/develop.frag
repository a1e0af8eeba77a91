#version 330
// From light to picture: edges smoothed along their own direction (after Lottes 2009, FXAA), exposure, a filmic curve,
// sRGB, and a dither that keeps smooth skies free of steps.

uniform sampler2D light;

in vec2 uv;
flat in float exposure;
out vec4 colour;

// A rational curve as Narkowicz's (2015) fit to the film industry's, with a gentler foot: deep water keeps its blue.
vec3 filmic(vec3 light) {
    return clamp(light * (2.51 * light + 0.065) / (light * (2.43 * light + 0.60) + 0.145), 0.0, 1.0);
}

vec3 srgb(vec3 light) {
    return mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light));
}

// Interleaved gradient noise (Jimenez 2014), -0.5 to 0.5.
float dither(vec2 pixel) {
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))) - 0.5;
}

#if SMOOTH
// About as bright as it will look, 0 to 1.
float luma(vec3 light) {
    float bright = exposure * dot(light, vec3(0.30, 0.59, 0.11));
    return sqrt(bright / (0.35 + bright));
}

float luma_at(ivec2 texel) {
    return luma(texelFetch(light, clamp(texel, ivec2(0), textureSize(light, 0) - 1), 0).rgb);
}

// Light whose brightness is bounded, so that the mean of two does not belong to the brighter one.
vec3 bounded(vec3 light) {
    return light / (1.0 + exposure * max(light.r, max(light.g, light.b)));
}

vec3 unbounded(vec3 light) {
    return light / (1.0 - exposure * max(light.r, max(light.g, light.b)));
}

vec3 smoothed() {
    vec2 size = vec2(textureSize(light, 0));
    ivec2 texel = ivec2(uv * size);
    vec3 middle = textureLod(light, uv, 0.0).rgb;
    float nw = luma_at(texel + ivec2(-1, 1));
    float ne = luma_at(texel + ivec2(1, 1));
    float sw = luma_at(texel + ivec2(-1, -1));
    float se = luma_at(texel + ivec2(1, -1));
    float here = luma(middle);
    float low = min(here, min(min(nw, ne), min(sw, se)));
    float high = max(here, max(max(nw, ne), max(sw, se)));
    vec2 along = vec2(sw + se - nw - ne, ne + se - nw - sw);
    float damp = max(0.03 * (nw + ne + sw + se), 0.008);
    along = clamp(along / (min(abs(along.x), abs(along.y)) + damp), -6.0, 6.0) / size;
    vec3 one = textureLod(light, uv - 0.25 * along, 0.0).rgb;
    vec3 two = textureLod(light, uv + 0.25 * along, 0.0).rgb;
    vec3 both = unbounded(0.5 * (bounded(one) + bounded(two)));
    return high - low < max(0.04, 0.10 * high) ? middle : both;
}
#endif

void main() {
#if SMOOTH
    vec3 seen = smoothed();
#else
    vec3 seen = textureLod(light, uv, 0.0).rgb;
#endif
    colour = vec4(srgb(filmic(exposure * seen)) + dither(gl_FragCoord.xy) / 255.0, 1.0);
}
