// Chance that is the same on every machine.

uint scrambled(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

// Four numbers in 0-1 that depend on two others.
vec4 chances(uint a, uint b) {
    uint x = scrambled(a ^ scrambled(b));
    uint y = scrambled(x + 1u);
    uint z = scrambled(y + 1u);
    return vec4(x >> 8, y >> 8, z >> 8, scrambled(z + 1u) >> 8) / 16777216.0;
}
