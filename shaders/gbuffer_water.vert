#version 330
// The water's mesh in the geometry buffer: its points are spread over the block and moved to the waving surface.
#include "view.glsl"
#include "surface.glsl"
#include "lod.glsl"

uniform sampler2D waves;

out vec2 displacement;
out float foam;         // mean of the foam around the point

void main() {
    vec2 share = morphed_place();
    // The mean reaches as far as the next points of the mesh, so that no foam is missed between them.
    float around = SQUARE * in_morph_end * (1.0 + morph());
    float level = ceil(log2(around / grid_spacing * grid_texel.x * float(textureSize(waves, 0).x)));
    foam = textureLod(waves, field_uv(water_place(share)), max(level, 1.0)).a;
    gl_Position = view_projection * vec4(surface_point(share, displacement), 1.0);
}
