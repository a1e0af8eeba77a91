#version 330
// From light to picture: exposure, a filmic curve, sRGB, and a dither that keeps smooth skies free of steps.

uniform sampler2D scene;
uniform float exposure;

in vec2 uv;
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

void main() {
    vec3 shown = srgb(filmic(exposure * texture(scene, uv).rgb)) + dither(gl_FragCoord.xy) / 255.0;
    colour = vec4(shown, dot(shown, vec3(0.299, 0.587, 0.114)));
}
