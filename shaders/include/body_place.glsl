// A floating body's vertices in the world.

in vec3 in_position;
in vec4 in_x;           // rows of the matrix from the body's own axes to the world, moved to where it is
in vec4 in_y;
in vec4 in_z;

vec3 body_place() {
    vec4 own = vec4(in_position, 1.0);
    return vec3(dot(in_x, own), dot(in_y, own), dot(in_z, own));
}
