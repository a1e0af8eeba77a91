// Height of the land as it is drawn in r; in g how water gathers on it, if it was grown (render/ground/land.py). It covers
// the block from corner to corner.
#include "view.glsl"

uniform sampler2D land;

vec2 land_texel() {
    return 1.0 / vec2(textureSize(land, 0));
}

vec2 land_uv(vec2 xz) {
    vec2 texel = land_texel();
    return mix(0.5 * texel, 1.0 - 0.5 * texel, block_uv(xz));
}

float land_height(vec2 xz) {
    return textureLod(land, land_uv(xz), 0.0).r;
}
