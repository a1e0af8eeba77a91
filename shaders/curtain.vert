#version 330
// The water's cut sides, from the waving surface down to the ground's lowest point; ground hides what is too much.
#include "view.glsl"

uniform sampler2D heights;

in vec2 in_share;       // share of the way across the block along x and z
in vec2 in_outward;     // x and z of the side's normal
in float in_top;        // 1 at the surface, 0 at the bottom

out vec3 position;
out vec3 normal;

void main() {
    vec2 inset = vec2(box_high.w);
    vec2 xz = clamp(mix(box_low.xz, box_high.xz, in_share), box_low.xz + inset, box_high.xz - inset);
    float surface = box_low.w + textureLod(heights, field_uv(xz), 0.0).r;
    position = vec3(xz.x, mix(min(grid.y, surface), surface, in_top), xz.y);
    normal = vec3(in_outward.x, 0.0, in_outward.y);
    gl_Position = view_projection * vec4(position, 1.0);
}
