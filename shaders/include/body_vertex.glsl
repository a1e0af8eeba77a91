// A floating body's vertices in world coordinates.

in vec3 in_position;
in vec4 in_x;           // rows of the matrix from the body's own axes to the world; the last column is its position
in vec4 in_y;
in vec4 in_z;

vec3 body_vertex() {
    vec4 own = vec4(in_position, 1.0);
    return vec3(dot(in_x, own), dot(in_y, own), dot(in_z, own));
}
