#version 330
// Tone mapping: linear light becomes a picture. Antialiasing along edges (after Lottes 2009, FXAA), exposure, a filmic
// curve, sRGB, and a dither that hides banding in smooth skies.

uniform sampler2D light;    // its alpha is 0 on trees and 1 elsewhere
uniform sampler2D texels;   // the same, not interpolated
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
    return curve.x + (light - ends.x) * ((curve.y - curve.x) / max(ends.y - ends.x, 1e-5));
}

// The sRGB transfer curve by roots: quicker than a power, and within 0.011/255 of it.
vec3 srgb(vec3 light) {
    vec3 root = sqrt(light);
    vec3 fourth = sqrt(root);
    vec3 curve = 0.19804078 * fourth - 0.06484378 + root * (1.11734700 - 0.32937187 * fourth + 0.07885580 * root);
    return mix(12.92 * light, curve, step(0.0031308, light));
}

// Interleaved gradient noise (Jimenez 2014), -0.5 to 0.5.
float dither(vec2 pixel) {
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))) - 0.5;
}

#if SMOOTH
float bright(vec4 light) {
    return dot(light.rgb, vec3(0.30, 0.59, 0.11));
}

// Perceived brightness after exposure, 0 to 1.
float luma(float bright) {
    return sqrt(exposure * bright / (0.35 + exposure * bright));
}

// Weights of samples in a mean fall with brightness, so that the brightest does not decide alone (Karis 2013).
float weight(vec4 light) {
    return 1.0 / (1.0 + exposure * max(light.r, max(light.g, light.b)));
}

// Light between texels.
vec4 light_at(vec2 at) {
#if SAME_SIZE
    return textureLod(light, at, 0.0);
#else
    // Four texels with these weights: their plain mean is bright wherever one of them is, and an outline before the sky steps.
    vec2 size = vec2(textureSize(texels, 0));
    vec2 share = fract(at * size - 0.5);
    vec2 low = at - share / size;
    vec2 high = low + 1.0 / size;
    vec4 nw = textureLod(texels, vec2(low.x, high.y), 0.0);
    vec4 ne = textureLod(texels, high, 0.0);
    vec4 sw = textureLod(texels, low, 0.0);
    vec4 se = textureLod(texels, vec2(high.x, low.y), 0.0);
    vec4 weights = vec4((1.0 - share.x) * share.y, share.x * share.y, (1.0 - share.x) * (1.0 - share.y), share.x * (1.0 - share.y));
    weights *= vec4(weight(nw), weight(ne), weight(sw), weight(se));
    return mat4(nw, ne, sw, se) * weights / dot(weights, vec4(1.0));
#endif
}

vec3 smoothed() {
    vec2 texel = 1.0 / vec2(textureSize(light, 0));
#if SAME_SIZE
    vec4 middle = textureLod(texels, uv, 0.0);
#else
    vec4 middle = light_at(uv);
#endif
    // Not a whole texel away: with twice as many texels as pixels that is between two.
    vec2 aside = 1.2 * texel;
    vec4 nw = textureLod(texels, uv + vec2(-aside.x, aside.y), 0.0);
    vec4 ne = textureLod(texels, uv + aside, 0.0);
    vec4 sw = textureLod(texels, uv - aside, 0.0);
    vec4 se = textureLod(texels, uv + vec2(aside.x, -aside.y), 0.0);
    vec4 corners = vec4(bright(nw), bright(ne), bright(sw), bright(se));
    float here = bright(middle);
    float low = luma(min(here, min(min(corners.x, corners.y), min(corners.z, corners.w))));
    float high = luma(max(here, max(max(corners.x, corners.y), max(corners.z, corners.w))));
    vec2 along = vec2(corners.z + corners.w - corners.x - corners.y, corners.y + corners.w - corners.x - corners.z);
    float damp = 0.03 * dot(corners, vec4(1.0)) + 1e-5;
    along = clamp(along / (min(abs(along.x), abs(along.y)) + damp), -6.0, 6.0) * texel;
    // Half is the pixel's own: the mean of both sides alone blurs lines. Where there is no edge, software OpenGL looks up a single side.
    bool plain = high - low < max(0.04, 0.10 * high);
    float shares = 2.0 * weight(middle);
    vec3 edge = shares * middle.rgb;
    int sides = plain ? 1 : 2;
    int side = 0;
    do {
        vec4 beside = light_at(uv + (0.5 * float(side) - 0.25) * along);
        float share = weight(beside);
        edge += share * beside.rgb;
        shares += share;
    } while (++side < sides);
    edge /= shares;
#if TREES
    // Crowns are a few pixels wide and have no edges to follow: the mean of the texels around.
    vec4 weights = vec4(weight(nw), weight(ne), weight(sw), weight(se));
    float most = 4.0 * weight(middle);
    vec3 around = mat4x3(nw.rgb, ne.rgb, sw.rgb, se.rgb) * weights + most * middle.rgb;
    around /= dot(weights, vec4(1.0)) + most;
    edge = mix(around, edge, min(middle.a, min(min(nw.a, ne.a), min(sw.a, se.a))));
#endif
    return plain ? middle.rgb : edge;
}
#endif

void main() {
#if SMOOTH
    vec3 seen = smoothed();
#else
    vec3 seen = textureLod(light, uv, 0.0).rgb;
#endif
#if BLOOM
    // What is scattered is taken from where it came from: the picture as a whole gets no brighter.
    seen = mix(seen, textureLod(bloom, uv, 0.0).rgb, SCATTERED);
#endif
    colour = vec4(srgb(toned(exposure * seen)) + dither(gl_FragCoord.xy) / 255.0, 1.0);
}
