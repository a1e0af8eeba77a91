// Random numbers that are the same on every machine.

// A hash of 32 bits (Wellons 2018, lowbias32).
uint hash(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

// Four random numbers in 0-1 that follow from two integers.
vec4 random4(uint a, uint b) {
    uint x = hash(a ^ hash(b));
    uint y = hash(x + 1u);
    uint z = hash(y + 1u);
    return vec4(x >> 8, y >> 8, z >> 8, hash(z + 1u) >> 8) / 16777216.0;
}
