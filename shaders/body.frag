#version 330
// Floating bodies where they are seen directly.
#include "body_light.glsl"
#include "surface.glsl"
#include "waves.glsl"
#include "foam.glsl"
#if UNDERWATER
#include "underwater.glsl"
#endif

in vec3 position;
in vec3 own;
in vec3 normal;
in vec3 colour;
flat in float size;
out vec4 shown;

// How high foam climbs a hull in the mean, as a share of its size: less than the head of water against it, u²/2g, which is 0.025 at
// u²/gL = 0.05. A value of 1 of the noise changes it by a share of HEAPS.
const float FROTH = 0.018;
const float HEAPS = 0.6;

void main() {
    vec3 to_eye = eye - position;
    go_under_clouds(position);
    float far = length(to_eye);
    // What is seen directly is where the lens is, in water or in air.
#if UNDERWATER
    bool in_water = near_plane_depth(gl_FragCoord.xy * picture_texel) > 0.0;
#else
    const bool in_water = false;
#endif
    vec2 still = position.xz - displacement_at(position.xz);
    float above = position.y - water_level - water_height(still);
    vec3 facing = normalize(normal);
    float sun_seen = sun_on_body(position, facing, size, in_water);
    to_eye /= far;
    float width = pixel_width(far);
    vec3 light = body_radiance(position, own, facing, colour, size, to_eye, width, in_water, above, sun_seen);
    // Foam that a hull meets is pushed up it in heaps. It is that of the water, folded up along the waterline, ends in a rounded edge, and
    // leans on the hull.
    float heap = 1.0 + HEAPS * textureLod(noise, RUNS / size * still, mipmap(log2(256.0 * RUNS * width / size))).w;
    float lower = in_water ? 0.0 : 1.0 - smoothstep(0.3, 1.0, above / (FROTH * size * max(heap, 0.1)));
    lower *= 1.0 - smoothstep(0.5, 0.9, facing.y);  // not onto decks
    Foam foam = foam_at(still - above * facing.xz, lower * mapped_waves(still, width).foam, width);
    light = foam_over(light, foam, 1.0, normalize(mix(facing, vec3(0.0, 1.001, 0.0), lower)), sun_seen);
    shown = vec4(light, 1.0);
}
