// Which drops of spray are spindrift: fine ones that a strong wind tears off crests and carries along.
#include "random.glsl"

uniform float torn;     // share of all drops

bool is_spindrift(int particle) {
    return random4(uint(particle), 0u).x < torn;
}
