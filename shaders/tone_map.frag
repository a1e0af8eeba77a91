#version 330
// Tone mapping: linear light becomes a picture. Antialiasing along edges (after Lottes 2009, FXAA), exposure, a filmic
// curve, sRGB, and a dither that hides banding in smooth skies.

uniform sampler2D light;
uniform sampler2D texels;   // the same, not interpolated: quicker than texelFetch in software
#if BLOOM
uniform sampler2D bloom;    // the same as scattered in a lens (bloom_up.frag)

const float SCATTERED = 0.03;   // share of light that a lens and the eye scatter
#endif

in vec2 uv;
flat in float exposure;
out vec4 colour;

// Filmic curve: Narkowicz's (2015) rational fit of ACES with a gentler toe, so that deep water keeps its blue.
vec2 filmic(vec2 light) {
    return clamp(light * (2.51 * light + 0.065) / (light * (2.43 * light + 0.60) + 0.145), 0.0, 1.0);
}

// The curve of the strongest and the weakest colour; the third stays as far between them as it was. So hue is kept, also in
// highlights, where a curve of each colour alone would turn orange to yellow and blue to cyan.
vec3 toned(vec3 light) {
    vec2 ends = vec2(min(light.r, min(light.g, light.b)), max(light.r, max(light.g, light.b)));
    vec2 curve = filmic(ends);
    return curve.x + (curve.y - curve.x) * (light - ends.x) / max(ends.y - ends.x, 1e-5);
}

// The sRGB transfer curve by roots: quicker than a power, and within 0.02/255 of it.
vec3 srgb(vec3 light) {
    vec3 root = sqrt(light);
    vec3 fourth = sqrt(root);
    vec3 curve = 0.64456067 * root + 0.70994555 * fourth - 0.33605156 * sqrt(fourth) - 0.01848596 * light;
    return mix(12.92 * light, curve, step(0.0031308, light));
}

// Interleaved gradient noise (Jimenez 2014), -0.5 to 0.5.
float dither(vec2 pixel) {
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))) - 0.5;
}

// Light at this pixel.
vec3 light_here() {
#if SAME_SIZE
    return textureLod(texels, uv, 0.0).rgb;
#else
    return textureLod(light, uv, 0.0).rgb;
#endif
}

#if SMOOTH
float bright_at(vec2 at) {
    return dot(textureLod(texels, at, 0.0).rgb, vec3(0.30, 0.59, 0.11));
}

// Perceived brightness after exposure, 0 to 1.
float luma(float bright) {
    return sqrt(exposure * bright / (0.35 + exposure * bright));
}

float brightest(vec3 light) {
    return exposure * max(light.r, max(light.g, light.b));
}

vec3 smoothed() {
    vec2 texel = 1.0 / vec2(textureSize(light, 0));
    vec3 middle = light_here();
    float nw = bright_at(uv + vec2(-texel.x, texel.y));
    float ne = bright_at(uv + texel);
    float sw = bright_at(uv - texel);
    float se = bright_at(uv + vec2(texel.x, -texel.y));
    float here = dot(middle, vec3(0.30, 0.59, 0.11));
    float low = luma(min(here, min(min(nw, ne), min(sw, se))));
    float high = luma(max(here, max(max(nw, ne), max(sw, se))));
    vec2 along = vec2(sw + se - nw - ne, ne + se - nw - sw);
    float damp = 0.03 * (nw + ne + sw + se) + 1e-5;
    along = clamp(along / (min(abs(along.x), abs(along.y)) + damp), -6.0, 6.0) * texel;
    vec3 one = textureLod(light, uv - 0.25 * along, 0.0).rgb;
    vec3 two = textureLod(light, uv + 0.25 * along, 0.0).rgb;
    // Weights fall with brightness, so that the brighter sample does not decide alone (Karis 2013).
    float one_counts = 1.0 + brightest(two);
    float two_counts = 1.0 + brightest(one);
    vec3 both = (one_counts * one + two_counts * two) / (one_counts + two_counts);
    return high - low < max(0.04, 0.10 * high) ? middle : both;
}
#endif

void main() {
#if SMOOTH
    vec3 seen = smoothed();
#else
    vec3 seen = light_here();
#endif
#if BLOOM
    // What is scattered is taken from where it came from: the picture as a whole gets no brighter.
    seen = mix(seen, textureLod(bloom, uv, 0.0).rgb, SCATTERED);
#endif
    colour = vec4(srgb(toned(exposure * seen)) + dither(gl_FragCoord.xy) / 255.0, 1.0);
}
