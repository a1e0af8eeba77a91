// A seamless tile of noise of mean 0: x its value, yz its slopes per tile, w a second, independent value.
#include "view.glsl"

uniform sampler2D noise;

// Mipmap level for a pixel `width` metres wide if the tile is `grain_extent` long.
float noise_detail(float width) {
    return log2(256.0 * width / grain_extent);
}
