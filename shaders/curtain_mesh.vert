#version 330
// The water's cut sides, from the waving surface down to the ground's lowest point; ground hides what is too much.
#include "view.glsl"
#include "surface.glsl"
#include "patch.glsl"

in float in_top;        // 1 at the surface, 0 at the bottom
out vec2 moved;

void main() {
    vec3 at = surface_point(share_now(), moved);
    at.y = mix(min(grid.y, at.y), at.y, in_top);
    gl_Position = view_projection * vec4(at, 1.0);
}
