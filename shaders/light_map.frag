#version 330
// The finished light map: sunlight smoothed over a texel's neighbours, and the tops of what floats in its way.

uniform sampler2D caustics;
uniform sampler2D body_top;

in vec2 uv;
out vec4 map;

void main() {
    vec2 half_texel = 0.5 / vec2(textureSize(caustics, 0));
    vec3 light = vec3(0.0);
    for (int i = 0; i < 4; ++i) {
        vec2 corner = half_texel * vec2(2 * (i & 1) - 1, (i & 2) - 1);
        light += 0.25 * textureLod(caustics, uv + corner, 0.0).rgb;
    }
    map = vec4(light, textureLod(body_top, uv, 0.0).r);
}
