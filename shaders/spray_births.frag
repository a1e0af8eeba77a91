#version 330
// One random place in each cell of the block, another one in each step, and how much foam is born there. Particles at rest look for
// a place in this map (spray_step.vert), as it is small: when each of them looked for foam in a few places of the map of waves
// itself, software OpenGL took five times as long, since the map does not fit into the processor's cache.
#include "view.glsl"
#include "random.glsl"

uniform sampler2D waves;            // a foam now
uniform sampler2D waves_before;     // a foam one step ago
uniform int moment;                 // number of the step, for random numbers
uniform float side;                 // cells along each side of the block

out vec4 birth;     // rg share of the way across the block, b growth of the foam

const float DRIFT = 0.02;   // foam that grows by less in a step is not new: it has drifted there

void main() {
    vec2 cell = floor(gl_FragCoord.xy);
    vec4 random = random4(uint(cell.x + side * cell.y) + 1000003u, uint(moment));
    vec2 share = (cell + random.xy) / side;
    vec2 uv = field_uv(mix(box_low.xz, box_high.xz, share));
    ivec2 texel = ivec2(uv * vec2(textureSize(waves, 0)));
    float dense = texelFetch(waves, texel, 0).a;
    // Thin foam is born where a wave is only about to break.
    float born = (dense - texelFetch(waves_before, texel, 0).a - DRIFT) * smoothstep(0.2, 0.5, dense);
    birth = vec4(share, born, 1.0);
}
