#version 330
// Trees in the geometry buffer: one mesh, placed and shaped for each.
#include "view.glsl"

in vec3 in_position;    // of a tree of height 1 and width 1
in vec3 in_normal;
in vec4 in_place;       // foot of a tree, and its height [m]
in vec3 in_look;        // its width as a share of its height, how far it is turned [rad], the share of the sun that it sees
uniform vec2 reach;     // distances from the eye from which on trees are smaller, and are none [m]
out vec2 displacement;
out float sun;
out vec3 local;         // in_position as it is drawn
out vec3 facing;        // normal, not of length 1
out vec3 ray;           // from the eye [m]
flat out float leafy;   // how much its outline is cut into leaves, 0-1
flat out float thinned; // share of it that is left out because the eye is near, 0-1

// Distance from the eye to the crown, which is about an ellipsoid, in radii of the crown; below 0 inside.
float distance_to_crown() {
    vec3 from_middle = (eye - in_place.xyz) / in_place.w - vec3(0.0, 0.6, 0.0);
    return length(from_middle / vec3(0.61 * in_look.x, 0.42, 0.61 * in_look.x)) - 1.0;
}

void main() {
    float size = in_place.w * clamp((reach.y - distance(in_place.xyz, eye)) / (reach.y - reach.x), 0.0, 1.0);
    float angle = atan(in_position.z, in_position.x) + in_look.y;
    // No crown is round.
    float bulge = 0.14 * sin(3.0 * angle + 5.0 * in_look.y + 9.0 * in_position.y) + 0.08 * sin(7.0 * angle - 23.0 * in_position.y);
    bulge = 1.0 + bulge * step(0.21, in_position.y);
    vec2 turned = vec2(cos(angle), sin(angle));
    vec3 at = vec3(in_look.x * bulge * length(in_position.xz) * turned, in_position.y).xzy;
    vec3 normal = normalize(vec3(length(in_normal.xz) * turned, in_normal.y * in_look.x + 0.25).xzy);
    // Four tells the shader of the ground that this is a tree, whose normal it is.
    displacement = 4.0 + normal.xz;
    sun = in_look.z;
    local = at;
    facing = normal;
    ray = in_place.xyz + size * at - eye;
    leafy = smoothstep(30.0, 90.0, size / pixel_width(length(ray)));
    // The near plane would cut a crown open.
    float near = near_plane / (0.61 * in_look.x * in_place.w);
    thinned = 1.0 - smoothstep(near, near + 1.0, distance_to_crown());
    gl_Position = view_projection * vec4(in_place.xyz + size * at, 1.0);
}
