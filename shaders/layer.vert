#version 330
// One triangle that covers the picture, at the depth by which `sort.frag` has sorted pixels of one kind: the depth test
// then leaves out all others before anything is computed for them.
#if FLAT_VIEW
#include "hand_on.glsl"
#endif

out vec2 uv;

void main() {
    uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(2.0 * uv - 1.0, float(KIND) / 4.0 - 1.0, 1.0);
#if FLAT_VIEW
    hand_on();
#endif
}
