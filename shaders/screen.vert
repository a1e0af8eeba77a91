#version 330
// One triangle that covers the picture, made from the vertex number alone.
#include "view_varyings.glsl"

out vec2 uv;

void main() {
    uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(2.0 * uv - 1.0, 1.0, 1.0);
    pass_on_view();
}
