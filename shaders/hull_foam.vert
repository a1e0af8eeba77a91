#version 330
// The surroundings of each moving body, in the map of waves.
#include "view.glsl"

in vec4 in_place;       // xy middle (x, z) and z half the side of the square around it [m], w foam that it leaves at its hull
in vec2 in_hull;        // x its row in the table of bodies, y how far from the hull foam is half as dense as at it [m]
in vec3 in_motion;      // xy unit vector along which it moves through the water (x, z), z its speed [m/s]
out vec2 xz;
flat out float amount;
flat out vec3 hull;     // as `in_hull`, z about the hull's length [m]
flat out vec3 motion;

void main() {
    xz = in_place.xy + in_place.z * (2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0);
    amount = in_place.w;
    hull = vec3(in_hull, in_place.z);
    motion = in_motion;
    gl_Position = vec4(2.0 * field_uv(xz) - 1.0, 0.0, 1.0);
}
