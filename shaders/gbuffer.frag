#version 330
// Writes one material and the displacement of its surface into the geometry buffer.

uniform float material;     // as in waterview/render/materials.py

in vec2 displacement;
out vec4 texel;

void main() {
    texel = vec4(material, displacement, 1.0);
}
