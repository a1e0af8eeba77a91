#version 330
// Trees in the geometry buffer: one mesh of each form, placed and shaped for each tree.
#include "block.glsl"

in vec3 in_position;    // of a tree of height 1 and width 1
in vec3 in_normal;
in float in_light;      // share of light that the crown lets through to it; 0 on the stem
in vec4 in_place;       // foot of a tree, and its height [m]
in vec4 in_look;        // its width, turn [rad], share of the sun that it sees, lean; lengths as shares of its height
in float in_tint;       // 0 for the darkest leaves, 1 for the lightest
uniform vec2 reach;     // distances from the eye from which on trees are smaller, and are none [m]
out float sun;
out vec3 local;         // in_position as it is drawn
out vec3 facing;        // normal, not of length 1
out vec3 ray;           // from the eye [m]
flat out float tint;    // whole number for the shader of the ground: 0 for a stem, 1 to 15 for leaves
flat out float pixels;  // height of the tree [pixels] for its leaves; 0 for a stem, which has none
flat out float thinned; // leaves that stand out less, 0-1, are left out because the eye is near

// Distance from the eye to the crown, which is about an ellipsoid, in radii of the crown; below 0 inside.
float distance_to_crown() {
    vec3 from_middle = (eye - in_place.xyz) / in_place.w - vec3(0.0, 0.55, 0.0);
    return length(from_middle / vec3(0.55 * in_look.x, 0.47, 0.55 * in_look.x)) - 1.0;
}

void main() {
    float size = in_place.w * clamp((reach.y - distance(in_place.xyz, eye)) / (reach.y - reach.x), 0.0, 1.0);
    size = seen_through_land(in_place.xyz + vec3(0.0, 0.5 * size, 0.0)) ? 0.0 : size;
    mat2 turn = mat2(cos(in_look.y), sin(in_look.y), -sin(in_look.y), cos(in_look.y));
    vec2 leaning = vec2(in_look.w * in_position.y, 0.0);
    vec3 at = vec3(turn * (in_look.x * in_position.xz + leaning), in_position.y).xzy;
    vec3 normal = normalize(vec3(turn * in_normal.xz, in_normal.y + 0.25).xzy);
    bool is_stem = in_light == 0.0;
    sun = in_look.z * (is_stem ? 0.3 : in_light);   // a stem stands in dappled light
    tint = is_stem ? 0.0 : floor(1.0 + 14.0 * in_tint + 0.5);
    local = at;
    facing = normal;
    ray = in_place.xyz + size * at - eye;
    // The whole tree is drawn with as fine leaves, or their layers would change in mid-crown.
    pixels = is_stem ? 0.0 : size / pixel_width(distance(in_place.xyz, eye));
    // The near plane would cut a crown open.
    float near = near_plane / (0.55 * in_look.x * in_place.w);
    thinned = 1.0 - smoothstep(near, near + 0.4, distance_to_crown());
    if (is_stem) thinned = floor(thinned + 0.75);   // it has no leaves to lose one by one
    gl_Position = view_projection * vec4(in_place.xyz + size * at, 1.0);
}
