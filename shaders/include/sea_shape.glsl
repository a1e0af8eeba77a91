// The shape of the sea beyond the block.
#include "surface.glsl"
#include "open_sea.glsl"

uniform sampler2D waves;

#if SWELL
// Height of the waves that come in, without those shorter than `width` metres.
float incoming_height(vec2 xz, float width) {
    float sum = 0.0;
    vec3 groups = swell_groups(xz);
    for (int i = 0; i < textureSize(swell, 0).x; ++i) {
        vec4 sine = texelFetch(swell, ivec2(i, 0), 0);
        sum += (1.0 - smoothstep(0.8, 3.0, length(sine.xy) * width)) * sine.z * cos(dot(sine.xy, xz) + sine.w + groups.x);
    }
    return groups.y * sum;
}
#endif

// Height above still water of the sea at xz beyond the block, and its shift along x and z, averaged over `width` metres.
vec3 sea_shape(vec2 xz, float width) {
    vec2 within = mirrored(xz);
    float scale = patches_scale(block_steepness(textureLod(waves, vec2(0.5), 16.0)));
    vec3 open = scale * patches_shape(xz, width);
    float here = water_height(within);
#if SWELL
    float outside = incoming_height(xz, width);
    here += outside - incoming_height(within, width);
    open = outside * vec3(1.0, 0.0, 0.0) + swell_groups(xz).z * open;
#endif
    float height = mix(open.x, here, own_share(xz, within));
    return vec3(height, open.yz * smoothstep(0.0, 0.03 * extent, distance_outside(xz)));
}
