#version 330
// What a half-sunken lens adds to the picture: beams of light where it is under water, and the dark rim of the water that
// clings to it. The picture is multiplied by alpha, then the colour is added (blending).
#include "diving.glsl"

uniform sampler2D beams;

in vec2 uv;
out vec4 colour;

void main() {
    float depth = lens_depth(uv);
    float pixel = right.w * scatter.w;
    float rim = 1.0 - 0.75 * exp(-pow(depth / (2.5 * pixel), 2.0));
    // The beams are drawn small and grainy: a mean of four hides both.
    vec2 texel = 1.0 / vec2(textureSize(beams, 0));
    vec3 light = vec3(0.0);
    for (int i = 0; i < 4; ++i) {
        light += 0.25 * textureLod(beams, uv + texel * vec2(float(i & 1) - 0.5, 0.5 * float(i & 2) - 0.5), 0.0).rgb;
    }
    colour = vec4(light, rim);
}
