#version 330
// Writes a material, the normal of a tree, and its tint and share of the sun into the geometry buffer.

uniform float material;     // as in waterview/render/materials.py

in vec2 displacement;
in float sun;
in vec3 local;
in vec3 facing;
in vec3 ray;
flat in float tint;
flat in float leafy;
flat in float thinned;
out vec4 texel;

void main() {
    // Leaves at the outline: cells in space are there by chance. Far away they would flicker.
    vec3 cell = floor(34.0 * local);
    float chance = fract(sin(dot(cell, vec3(12.9898, 78.233, 37.719))) * 43758.5453);
    if (chance < thinned) discard;
    float edge = abs(dot(normalize(facing), normalize(ray)));
    if (edge < 0.75 * leafy * chance * chance) discard;
    texel = vec4(material, displacement, tint + 0.95 * sun);
}
