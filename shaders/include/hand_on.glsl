// Hands on what shaders are told about the moment to a fragment shader (see view.glsl).

#define MEMBER(kind, name) kind name;
layout(std140) uniform View {
#include "view.list"
} moment;
#undef MEMBER

#define MEMBER(kind, name) flat out kind name;
#include "view.list"
#undef MEMBER

#define MEMBER(kind, name) name = moment.name;
void hand_on() {
#include "view.list"
}
#undef MEMBER
