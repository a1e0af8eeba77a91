// Passes the view from the vertex shader to the fragment shader (see view.glsl for the reason), and what else is the same in all of the
// picture and costs a look-up.

#define MEMBER(kind, name) kind name;
layout(std140) uniform View {
#include "view.list"
} view;
#undef MEMBER

#define MEMBER(kind, name) flat out kind name;
#include "view.list"
#undef MEMBER

uniform sampler2D sky_map;
flat out vec3 mean_sky;

#define MEMBER(kind, name) name = view.name;
void pass_on_view() {
#include "view.list"
    mean_sky = textureLod(sky_map, vec2(0.5), 16.0).rgb;
}
#undef MEMBER
