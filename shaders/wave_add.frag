#version 330
// What falls into the water, to be added to its heights in a window of the grid.

uniform sampler2D added;
uniform ivec2 first;        // the window's first column and row

out float height;

void main() {
    height = texelFetch(added, ivec2(gl_FragCoord.xy) - first, 0).r;
}
