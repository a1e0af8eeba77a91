// How high the water stands.
#include "view.glsl"

uniform sampler2D heights;

// Height of the surface above still water at the grid's xz [m].
float height_at(vec2 xz) {
    return textureLod(heights, field_uv(xz), 0.0).r;
}
