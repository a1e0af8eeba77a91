// Which drops of spray are spindrift: fine ones that a strong wind tears off crests and carries along.
#include "random.glsl"

const float BLOWN = 1.6;    // seconds for which they fly: the larger ones have fallen by then, and the smaller ones dried

uniform float torn;     // share of all drops

bool is_spindrift(int particle) {
    return random4(uint(particle), 0u).x < torn;
}
