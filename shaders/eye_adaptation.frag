#version 330
// Eye adaptation: the remembered brightness moves towards the picture's own by a share of the difference.

uniform sampler2D brightness;   // mean logarithm of light in patches of the picture (log_luminance.frag)
uniform sampler2D before;       // the brightness adapted to so far
uniform float share;            // of the difference that is gone after this picture, 0-1

out vec4 adapted;

void main() {
    // In software OpenGL a few fetches are quicker than mipmaps.
    ivec2 size = textureSize(brightness, 0);
    float now = 0.0;
    for (int i = 0; i < size.x * size.y; ++i) now += texelFetch(brightness, ivec2(i % size.x, i / size.x), 0).r;
    now /= float(size.x * size.y);
    // At first nothing is remembered, and what a new texture holds is anyone's guess: 0 times that may not be 0.
    adapted = vec4(share < 1.0 ? mix(texelFetch(before, ivec2(0), 0).r, now, share) : now);
}
