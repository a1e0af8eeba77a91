#version 330
// What a half-submerged lens adds to the picture: light shafts where it is under water, and the dark rim of the water that
// clings to it. Blending multiplies the picture by alpha and adds the colour.
#include "underwater.glsl"

uniform sampler2D light_shafts;

in vec2 uv;
out vec4 colour;

void main() {
    float depth = near_plane_depth(uv);
    float pixels = depth / (near_plane * pixel_angle);
    float rim = 1.0 - 0.9 * exp(-0.16 * pixels * pixels);
    // The shafts are drawn small, each of four texels with steps of its own (light_shafts.frag); the mean of the four is smooth.
    vec2 texel = 1.0 / vec2(textureSize(light_shafts, 0));
    vec4 light = vec4(0.0);
    for (int i = 0; i < 4; ++i) {
        light += textureLod(light_shafts, uv + texel * vec2(float(i & 1) - 0.5, 0.5 * float(i & 2) - 0.5), 0.0);
    }
    // Only texels under water count, and only pixels there have shafts: else the line would have steps as large as the texels.
    colour = vec4(rim * step(0.0, depth) * light.rgb / max(light.a, 0.01), rim);
}
