#version 330
// The water's cut sides in the geometry buffer, from the waving surface down to the lowest ground. Ground hides the rest.
#include "view.glsl"
#include "surface.glsl"
#include "lod.glsl"

in float in_top;        // 1 at the surface, 0 at the bottom
out vec2 displacement;

void main() {
    vec3 at = surface_point(morphed_place(), displacement);
    at.y = mix(min(lowest_ground, at.y), at.y, in_top);
    gl_Position = view_projection * vec4(at, 1.0);
}
