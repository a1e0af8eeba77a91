#version 330
// Writes the ground that water mirrors into a geometry buffer.
#include "block.glsl"

uniform float material;     // as in waterview/render/materials.py

in vec3 position;
out vec4 texel;

void main() {
    if (seen_through_land(position)) discard;
    texel = vec4(material, 0.0, 0.0, 1.0);
}
