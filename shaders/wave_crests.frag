#version 330
// The highest point of the water in each block of the grid, and one point around it.

uniform sampler2D heights;

uniform vec2 blocks;        // how many there are along x and z

out float crest;

void main() {
    ivec2 last = textureSize(heights, 0) - 1;
    vec2 side = vec2(last + 1) / blocks, block = floor(gl_FragCoord.xy);
    ivec2 from = max(ivec2(block * side) - 1, 0), to = min(ivec2(ceil((block + 1.0) * side)), last);
    crest = texelFetch(heights, from, 0).r;
    for (int z = from.y; z <= to.y; z++) {
        for (int x = from.x; x <= to.x; x++) {
            crest = max(crest, texelFetch(heights, ivec2(x, z), 0).r);
        }
    }
}
