#version 330
// The eye gets used to how bright the picture is, by some share of the difference.

uniform sampler2D brightness;
uniform sampler2D before;
uniform float share;

out vec4 adapted;

void main() {
    float now = textureLod(brightness, vec2(0.5), 5.0).r;
    adapted = vec4(mix(texelFetch(before, ivec2(0), 0).r, now, share));
}
