#version 330
// Leaves marks of the water: its kind is another where there is foam on it.

uniform sampler2D waves;

in vec2 moved;
in vec2 place;      // where in the grid's textures
out vec4 mark;

void main() {
    mark = vec4(textureLod(waves, place, 1.0).a > 0.004 ? FOAMY : WATER, moved, 1.0);
}
