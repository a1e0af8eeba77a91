// A tile of noise of mean 0: x its value, yz its slopes per tile, a another value.
#include "view.glsl"

uniform sampler2D noise;

// Its mipmap level for a pixel `width` metres wide, where the tile measures the scene's longer side.
float noise_detail(float width) {
    return log2(256.0 * width / forward.w);
}
