#version 330
// Floating bodies where they are seen directly.
#include "body_light.glsl"
#include "surface.glsl"
#if UNDERWATER
#include "underwater.glsl"
#endif

in vec3 position;
in vec3 normal;
in vec3 colour;
flat in float size;
out vec4 shown;

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
    float above = position.y - water_level - water_height(position.xz - displacement_at(position.xz));
    shown = vec4(body_radiance(position, normalize(normal), colour, size, to_eye / far, pixel_width(far),
                               in_water, above), 1.0);
}
