#version 330
// Floating bodies: world positions, normals and colours for lighting.
#include "view.glsl"
#include "body_vertex.glsl"

in vec3 in_normal;
in vec3 in_colour;      // sRGB

out vec3 position;
out vec3 own;           // position along the body's own axes, in the mesh's units
out vec3 normal;
out vec3 colour;
flat out float size;    // of the body [m]

void main() {
    position = body_vertex();
    own = in_position;
    // Normals take the inverse of the scale: the rows' squared lengths undo it twice.
    vec3 squares = in_x.xyz * in_x.xyz + in_y.xyz * in_y.xyz + in_z.xyz * in_z.xyz;
    vec3 across = in_normal / squares;
    normal = vec3(dot(in_x.xyz, across), dot(in_y.xyz, across), dot(in_z.xyz, across));
    size = sqrt(min(squares.x, min(squares.y, squares.z)));
    colour = pow(in_colour, vec3(2.2));
    gl_Position = view_projection * vec4(position, 1.0);
}
