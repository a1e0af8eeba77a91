#version 330
// The eye gets used to how bright the picture is, by some share of the difference.

uniform sampler2D brightness;
uniform sampler2D before;
uniform float share;

out vec4 adapted;

void main() {
    // In software a few looks are quicker than mipmaps.
    ivec2 size = textureSize(brightness, 0);
    float now = 0.0;
    for (int i = 0; i < size.x * size.y; ++i) now += texelFetch(brightness, ivec2(i % size.x, i / size.x), 0).r;
    now /= float(size.x * size.y);
    adapted = vec4(mix(texelFetch(before, ivec2(0), 0).r, now, share));
}
