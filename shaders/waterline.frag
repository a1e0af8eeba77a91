#version 330
// What a half-submerged lens adds to the picture: light shafts where it is under water, and the water that clings to it. Blending
// multiplies the picture by alpha and adds the colour.
#include "underwater.glsl"

uniform sampler2D light_shafts;

in vec2 uv;
out vec4 colour;

// How far water climbs up the lens, and how far below the surface it begins to turn up to there [heights of the picture], but no
// less than so many pixels.
const float CLIMB = 0.0066;
const float CURVED = 0.006;
const float PIXELS = 2.5;

// Dust and what is left of drops hold the line in which water ends on glass: it climbs by up to this share of CLIMB more or less, in bays
// about as long as a tenth of the picture's height.
const float UNEVEN = 0.36;

// Share of the light behind it that the water clinging to the lens lets through, at a depth under the surface [heights of the
// picture]. The steeper it stands, the more rays it turns aside; it ends in a sharp edge.
float through_meniscus(float depth) {
    float pixel = picture_texel.y;
    float across = uv.x * picture_size.x * pixel;
    float bays = sin(59.0 * across + 3.0 * sin(23.0 * across)) * sin(37.0 * across + 2.0 * sin(11.0 * across));
    float climb = max(CLIMB * (1.0 + UNEVEN * bays), PIXELS * pixel);
    float steep = smoothstep(max(CURVED, PIXELS * pixel), 0.0, depth);
    return 1.0 - 0.9 * steep * smoothstep(-climb - pixel, -climb + pixel, depth);
}

void main() {
    float depth = near_plane_depth(uv);
    float passed = through_meniscus(depth / (near_plane * pixel_angle * picture_size.y));
    // The shafts are drawn small, each of four texels with steps of its own (light_shafts.frag); the mean of the four is smooth.
    vec2 texel = 1.0 / vec2(textureSize(light_shafts, 0));
    vec4 light = vec4(0.0);
    for (int i = 0; i < 4; ++i) {
        light += textureLod(light_shafts, uv + texel * vec2(float(i & 1) - 0.5, 0.5 * float(i & 2) - 0.5), 0.0);
    }
    // Only texels under water count, and only pixels there have shafts: else the line would have steps as large as the texels.
    colour = vec4(passed * step(0.0, depth) * light.rgb / max(light.a, 0.01), passed);
}
