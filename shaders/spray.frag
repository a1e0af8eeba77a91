#version 330
// A puff of drops in the air or a bubble in the water: soft, and hidden by whatever is nearer (blended). From under water no drops
// in the air are seen: the surface bends their light elsewhere, and the water's way takes it. From the air no bubbles are seen.
#include "gbuffer.glsl"
#include "noise.glsl"
#if UNDERWATER
#include "underwater.glsl"
#endif

#if BUBBLES
flat in float far;
#endif
flat in mat2 to_puff;   // from the point, -1 to 1 along its sides, to shares of half the puff's length and width
flat in vec4 in_front;  // a value d of the depth buffer hides all of a puff but this share: w + z / (x - y d)
flat in float dense;    // optical depth in its middle
flat in vec4 light;     // a how far gaps tear it, 0-1
flat in mat3x2 gaps;    // from shares of half the puff's length and width, and 1, to the tile of noise that gaps are made of
out vec4 colour;

void main() {
#if UNDERWATER
    vec2 on_screen = gl_FragCoord.xy / picture_size;
    if ((near_plane_depth(on_screen) > 0.0) != bool(BUBBLES)) discard;
#endif
    vec2 at = to_puff * (2.0 * gl_PointCoord - 1.0);
    float inside = 1.0 - dot(at, at);
#if !BUBBLES
    // Gaps of all sizes tear a puff from its edge inwards: without them a puff near the eye is a disk, and many puffs are fog. Zigzags in
    // place of noise would cost less, but shear what they bend: all gaps become hairs.
    // Between gaps there is more, but nothing at the edge, where the point ends.
    inside = min(inside - light.a * (0.45 + 0.7 * textureLod(noise, gaps * vec3(at, 1.0), 1.0).x), 2.0 * inside);
#endif
    if (inside <= 0.0) discard;
    float before = clamp(in_front.w + in_front.z / (in_front.x - in_front.y * depth_value_here()), 0.0, 1.0);
    float depth = dense * inside * inside;
#if BUBBLES
    depth *= 0.75;
#else
    depth *= inside;
#endif
    float cover = before * (1.0 - exp(-depth));
    vec3 seen = light.rgb;
#if BUBBLES
    // A bubble is bright at its rim and clear inside.
    seen = mix(0.5 * seen, seen, 1.0 - inside) * left_after(far) + inscatter_from_eye(normalize(picture_ray(on_screen)), far);
    cover *= 1.0 - 0.6 * inside;
#endif
    colour = vec4(seen * cover, cover);
}
