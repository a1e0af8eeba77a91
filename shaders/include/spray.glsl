// How long drops of spray fly, and which are spindrift: fine ones that a strong wind tears off crests and carries along.
#include "random.glsl"

const float FLIGHT = 4.0;   // seconds for which drops fly at most
const float BLOWN = 1.6;    // for which spindrift does: its larger drops have fallen by then, and the smaller ones dried
const float DRAG = 1.5;     // of the air on drops that are no spindrift [1/s]

uniform float torn;     // share of all drops

bool is_spindrift(int particle) {
    return random4(uint(particle), 0u).x < torn;
}
