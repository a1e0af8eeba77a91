#version 330
// The mesh of the sea beyond the block in the geometry buffer; it meets the block's water at its sides.
#include "view.glsl"
#include "surface.glsl"
#include "lod.glsl"
#include "open_sea.glsl"

uniform sampler2D waves;

in vec2 in_corner;      // column and row within the patch

out vec2 displacement;

#if SWELL
// Height of the waves that come in, without those shorter than `width` metres.
float incoming_height(vec2 xz, float width) {
    float sum = 0.0;
    for (int i = 0; i < textureSize(swell, 0).x; ++i) {
        vec4 sine = texelFetch(swell, ivec2(i, 0), 0);
        sum += (1.0 - smoothstep(0.8, 3.0, length(sine.xy) * width)) * sine.z * cos(dot(sine.xy, xz) + sine.w);
    }
    return sum;
}
#endif

void main() {
    vec2 point = in_patch.xy + in_corner, share = morphed_place(point), side;
    vec2 xz = water_place(share);
    vec2 within = mirrored(xz, side);
    float around = SQUARE * morph_end() * (1.0 + morph(point));
    float scale = patches_scale(block_steepness(textureLod(waves, vec2(0.5), 16.0)));
    vec3 open = scale * patches_shape(xz, around);
    float here = water_height(within);
#if SWELL
    float outside = incoming_height(xz, around);
    here += outside - incoming_height(within, around);
    open = outside * vec3(1.0, 0.0, 0.0) + SWELL_NOISE * open;
#endif
    displacement = open.yz * smoothstep(0.0, 0.03 * extent, distance_outside(xz));
    float height = mix(open.x, here, own_share(xz, within));
    gl_Position = view_projection * vec4(xz.x + displacement.x, water_level + height, xz.y + displacement.y, 1.0);
}
