#version 330
// Leaves marks of the water: its kind is another where there is foam near. The mesh's points tell: to look for each pixel
// would cost more than the few that show foam for nothing.

in vec2 moved;
in float foam;
out vec4 mark;

void main() {
    mark = vec4(foam > 0.0005 ? FOAMY : WATER, moved, 1.0);
}
