#version 330
// Floating bodies as the sun sees them: each point is drawn where its sun ray passes still water in the caustic map.
#include "view.glsl"
#include "body_vertex.glsl"

out float top;      // height above still water, as a share of the scene's longer side

void main() {
    vec3 at = body_vertex();
    float above = at.y - water_level;
    vec2 along = above > 0.0 ? towards_sun.xz / towards_sun.y : refracted_sun.xz / refracted_sun.y;
    top = above / extent;
    gl_Position = vec4(2.0 * (at.xz - along * above - caustic_origin) * caustic_scale - 1.0, 0.0, 1.0);
}
