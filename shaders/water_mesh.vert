#version 330
// The water's mesh: points spread over the block, moved to where the full grid's water is.
#include "view.glsl"
#include "surface.glsl"
#include "patch.glsl"

uniform sampler2D waves;

out vec2 moved;
out float foam;         // mean of what lies around

void main() {
    vec2 share = share_now();
    // As far around as the mesh's next points are, so that no foam lies unseen between them.
    float around = SQUARE * in_reach * (1.0 + move_now());
    float level = ceil(log2(around / grid.x * grid.z * float(textureSize(waves, 0).x)));
    foam = textureLod(waves, field_uv(water_place(share)), max(level, 1.0)).a;
    gl_Position = view_projection * vec4(surface_point(share, moved), 1.0);
}
