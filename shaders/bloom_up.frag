#version 330
// Bloom: light of one size, and that of all smaller ones, which a tent over three texels makes smooth.

uniform sampler2D light;
uniform sampler2D smaller;
uniform float share;    // of the smaller ones, 0-1

in vec2 uv;
out vec4 colour;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(smaller, 0));
    vec3 sum = vec3(0.0);
    // Each look lies half a texel aside, where interpolation takes the mean of four.
    for (int i = 0; i < 4; ++i) sum += textureLod(smaller, uv + 0.5 * texel * vec2(2 * (i & 1) - 1, (i & 2) - 1), 0.0).rgb;
    colour = vec4(mix(textureLod(light, uv, 0.0).rgb, 0.25 * sum, share), 1.0);
}
