#version 330
// The water's cut sides in the geometry buffer, from the waving surface down to the lowest ground. Ground hides the rest.
#include "view.glsl"
#include "surface.glsl"
#include "lod.glsl"

in vec2 in_place;       // squares along the side, and 1 at the surface, 0 at the bottom
in vec2 in_along;       // columns and rows to the next point of the side
out vec2 displacement;

void main() {
    vec3 at = surface_point(morphed_place(in_patch.xy + in_place.x * in_along), displacement);
    at.y = mix(min(lowest_ground, at.y), at.y, in_place.y);
    gl_Position = view_projection * vec4(at, 1.0);
}
