#version 330
// Brightness of the picture as the mean logarithm of its luminance, patch by patch; eye_adaptation.frag takes their mean.

uniform sampler2D light;

in vec2 uv;
out vec4 brightness;

const int ALONG = 12;       // samples along each side of a patch
const vec2 PATCHES = vec2(16.0, 8.0);

void main() {
    float sum = 0.0;
    for (int i = 0; i < ALONG * ALONG; ++i) {
        vec2 at = (vec2(i % ALONG, i / ALONG) + 0.5) / float(ALONG) - 0.5;
        vec3 here = textureLod(light, uv + at / PATCHES, 0.0).rgb;
        // The limits keep a black corner or the sun itself from deciding.
        sum += log2(clamp(dot(here, vec3(0.2126, 0.7152, 0.0722)), 0.01, 8.0));
    }
    brightness = vec4(sum / float(ALONG * ALONG));
}
