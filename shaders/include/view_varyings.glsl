// Passes the view from the vertex shader to the fragment shader (see view.glsl for the reason).
#if VIEW_AS_VARYINGS
#define MEMBER(kind, name) kind name;
layout(std140) uniform View {
#include "view.list"
} view;
#undef MEMBER

#define MEMBER(kind, name) flat out kind name;
#include "view.list"
#undef MEMBER

#define MEMBER(kind, name) name = view.name;
void pass_on_view() {
#include "view.list"
}
#undef MEMBER
#else
void pass_on_view() {}
#endif
