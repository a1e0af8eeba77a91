// The waves of the sea beyond the block, as shape and as slopes (waterview/render/water/open_sea.py).
#include "block.glsl"
#if SWELL
#include "noise.glsl"
#endif

uniform sampler2DArray sea;     // of each patch of waves a layer with height and shift along x and z [m], one with slopes
#if SWELL
uniform sampler2D swell;        // waves that come in by the block's sides: their wave vector, amplitude and phase
#endif

const float OTHER = 1.31;       // how much longer the waves of a patch are where it is laid over itself a second time
const float SWELL_NOISE = 0.3;  // share of the open sea's own waves where those that come in are known

// Share of a second copy of the long waves at a place, so that they repeat nowhere: none beside the block, where the waves of
// the model run on, half of all farther out.
vec2 copies(vec2 xz) {
    float other = 0.5 * smoothstep(0.25, 1.5, distance_outside(xz) / extent);
    return sqrt(vec2(1.0 - other, other));
}

#if SWELL
// Of the waves that come in, at a place: how far they are ahead [rad], a factor of their height, and the share to which the open
// sea's own waves take their place. A sea of a single sine would run as stripes to the horizon. Real swell is a narrow band: its
// waves keep step for a few lengths, then crests bend and end, and waves come in groups. Beside the block and among many sines
// nothing changes.
vec3 swell_groups(vec2 xz) {
    float longest = 2.0 * PI / max(length(texelFetch(swell, ivec2(0), 0).xy), 1e-6);
    float lengths = distance_outside(xz) / (9.0 * longest);
    float out_of_step = (1.0 - exp(-lengths * lengths)) / float(textureSize(swell, 0).x);
    vec4 drawn = textureLod(noise, xz / (40.0 * longest), 3.0);
    float height = (1.0 - 0.5 * out_of_step) * (1.0 + out_of_step * clamp(1.6 * drawn.w, -0.9, 0.9));
    return vec3(7.0 * out_of_step * drawn.x, height, mix(SWELL_NOISE, 0.8, out_of_step));
}
#endif

// How many texels of a patch that repeats this often in a metre are `width` metres.
float patch_texels(vec2 frequency, float width) {
    return width * max(frequency.x, frequency.y) * float(textureSize(sea, 0).x);
}

// A layer of a patch at a place, in units of its size, for points that are `width` metres apart.
vec3 patch_at(vec2 at, vec2 frequency, float layer, float width) {
    return textureLod(sea, vec3(at + 0.5 / float(textureSize(sea, 0).x), layer), mipmap(log2(patch_texels(frequency, width)))).xyz;
}

// Height and shift of the patches at a place, averaged over `width` metres.
vec3 patches_shape(vec2 xz, float width) {
    vec2 from = xz - box_low.xz;
    vec2 share = copies(xz);
    vec3 sum = share.x * patch_at(from * sea_patches.xy, sea_patches.xy, 0.0, width);
    sum += share.y * OTHER * patch_at(from / OTHER * sea_patches.xy + 0.37, sea_patches.xy / OTHER, 0.0, width);
    return sum + patch_at(from * sea_patches.zw, sea_patches.zw, 2.0, width);
}

// Slopes in a layer of a patch, and the mean square of those too fine; the rest as `patch_at`.
vec3 patch_slopes(vec2 at, vec2 frequency, float layer, float width) {
    vec3 slopes = patch_at(at, frequency, layer, width);
    return vec3(slopes.xy, unresolved(slopes, patch_texels(frequency, width)));
}

// Slopes of the patches, and the mean square of those too fine for `width` metres.
vec3 patches_slopes(vec2 xz, float width) {
    vec2 from = xz - box_low.xz;
    vec2 share = copies(xz);
    vec3 first = patch_slopes(from * sea_patches.xy, sea_patches.xy, 1.0, width);
    vec3 again = patch_slopes(from / OTHER * sea_patches.xy + 0.37, sea_patches.xy / OTHER, 1.0, width);
    vec3 second = patch_slopes(from * sea_patches.zw, sea_patches.zw, 3.0, width);
    vec2 slope = share.x * first.xy + share.y * again.xy + second.xy;
    return vec3(slope, dot(vec3(first.z, again.z, second.z), vec3(share * share, 1.0)));
}

// Mean square of the slopes of the block's water.
float block_steepness(vec4 mean) {
    return unresolved(mean.rgb, 1.0);
}

// What the waves of the patches are multiplied by: they are the model's own, or as steep as the block's in the mean.
float patches_scale(float steepness) {
    return sea_known > 0.0 ? 1.0 : sqrt(steepness);
}

// The place in the block whose waves are seen beyond it, beside its sides: mirrored there. Their slopes are not turned around, or
// the glint would have a crease along the sides.
vec2 mirrored(vec2 xz) {
    vec2 turn = mod(block_uv(xz), 2.0);
    return mix(box_low.xz, box_high.xz, 1.0 - abs(turn - 1.0));
}

// Share of the block's own waves at a place beyond it, whose mirrored place is `within`. Where the model's waves run on that
// is but a seam; farther out rings and wakes would show that they are mirrored. Waves over shoals end at once.
float own_share(vec2 xz, vec2 within) {
    float out_there = distance_outside(xz);
    float shore = 1.0 - smoothstep(0.0, 0.4 * mean_depth, water_level - bed_at(within));
    float own = 1.0 - smoothstep(0.0, (sea_known > 0.0 ? 0.03 : 0.12) * extent, out_there);
    return own * (1.0 - shore * smoothstep(0.0, 0.04 * extent, out_there));
}
