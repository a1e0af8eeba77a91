#version 330
// Light at half the size, or a quarter: the mean of four places, each of which may be that of four texels.

uniform sampler2D light;
uniform vec2 reach;     // from a pixel's middle to the four places that are looked up [shares of the picture]

in vec2 uv;
out vec4 colour;

void main() {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; ++i) sum += textureLod(light, uv + reach * vec2(2 * (i & 1) - 1, (i & 2) - 1), 0.0).rgb;
    colour = vec4(0.25 * sum, 1.0);
}
