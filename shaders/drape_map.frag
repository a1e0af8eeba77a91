#version 330
// Colour of the ground with an aerial picture laid over what is dry. Baked when one of them changes.
#include "block.glsl"

uniform sampler2D ground_colour;    // as ground_maps.frag has it, rock in its alpha
uniform sampler2D drape;            // the picture; alpha is 0 where it does not reach

in vec2 uv;
out vec4 colour;

void main() {
    vec4 ground = textureLod(ground_colour, uv, 0.0);
    vec4 photo = textureLod(drape, uv, 0.0);
    // Under water the picture would show water once more; in the shallows both blend, since shores seldom agree.
    float above = bed_at(mix(box_low.xz, box_high.xz, uv)) - water_level;
    float share = photo.a * smoothstep(-0.05 * mean_depth, 0.0, above);
    colour = mix(ground, vec4(photo.rgb, 0.0), share);
}
