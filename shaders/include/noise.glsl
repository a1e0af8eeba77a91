// A seamless tile of noise of mean 0: x its value, yz its slopes per tile, w a second, independent value.
#include "view.glsl"

uniform sampler2D noise;

// Mipmap level for a pixel `width` metres wide if the tile is as long as the scene's longer side.
float noise_detail(float width) {
    return log2(256.0 * width / extent);
}
