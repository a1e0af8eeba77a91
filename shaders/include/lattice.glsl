// The water as a lattice of points with links to their neighbours; a texel each.

uniform sampler2D heights;
uniform usampler2D links;   // bits 0-7: neighbours that act, row by row; bit 8: whether there is water

const uint ALL = 255u, WATER_HERE = 256u;
const uint NW = 1u, N = 2u, NE = 4u, W = 8u, E = 16u, SW = 32u, S = 64u, SE = 128u;

ivec2 here() {
    return ivec2(gl_FragCoord.xy);
}
