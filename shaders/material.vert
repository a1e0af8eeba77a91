#version 330
// One triangle that covers the picture, at the depth that material_depth.frag has written for pixels of one material. The
// depth test rejects all other pixels before anything is computed for them. Without the quarter, four eighths would lie between
// two values of a depth buffer of 24 bits, and drivers could round them either way.
#include "view_varyings.glsl"

out vec2 uv;

void main() {
    uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(2.0 * uv - 1.0, (float(MATERIAL) + 0.25) / 4.0 - 1.0, 1.0);
    pass_on_view();
}
