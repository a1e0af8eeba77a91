#version 330
// The water's mesh: points spread over the block, lifted to the heights of the full grid.
#include "view.glsl"

uniform sampler2D heights;

in vec2 in_share;       // share of the way across the block along x and z
out vec3 position;

void main() {
    vec2 inset = vec2(box_high.w);
    vec2 xz = clamp(mix(box_low.xz, box_high.xz, in_share), box_low.xz + inset, box_high.xz - inset);
    float height = textureLod(heights, field_uv(xz), 0.0).r;
    position = vec3(xz.x, box_low.w + height, xz.y);
    gl_Position = view_projection * vec4(position, 1.0);
}
