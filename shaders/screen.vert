#version 330
// One triangle that covers the picture, made from the vertex number alone.
#if VIEW_AS_VARYINGS
#include "view_varyings.glsl"
#endif

out vec2 uv;

void main() {
    uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(2.0 * uv - 1.0, 1.0, 1.0);
#if VIEW_AS_VARYINGS
    pass_on_view();
#endif
}
