#version 330
// Floating bodies as the sun sees them: each point where its ray passes still water in the light map.
#include "view.glsl"
#include "body_place.glsl"

out float top;      // height above still water, as a share of the scene's longer side

void main() {
    vec3 at = body_place();
    float above = at.y - box_low.w;
    vec2 along = above > 0.0 ? sun.xz / sun.y : sunk.xz / sunk.y;
    top = above / forward.w;
    gl_Position = vec4(2.0 * (at.xz - along * above - lit_area.xy) * lit_area.zw - 1.0, 0.0, 1.0);
}
