#version 330
// Sunlight of one triangle of the caustics mesh: as bright as its area has shrunk on the way through the water (added). What
// bodies stop in the air is lost; what falls on bodies in the water is kept apart.
#if BODIES
#include "view.glsl"
#include "bodies.glsl"

in vec2 place_here;     // where it lands on the ground, or would without bodies, 0-1 over the map
in vec2 heights_here;   // where it enters and lands there [m]
uniform vec2 map_size;
#endif

in vec2 source;
in float light;
out vec4 fragment;

const float BRIGHTEST = 40.0;
const float FOCUSED = 4.0;      // what is brighter comes from triangles that are thinner than texels

void main() {
    vec2 across = dFdx(source);
    vec2 along = dFdy(source);
    float bright = light * min(abs(across.x * along.y - across.y * along.x), BRIGHTEST);
    // A triangle without area has no derivatives. Light that is no number would spread to all of the map's coarser levels.
    if (isnan(bright)) bright = 0.0;
#if BODIES
    vec3 from = vec3(caustic_origin + source / map_size / caustic_scale, heights_here.x).xzy;
    vec3 to = vec3(caustic_origin + place_here / caustic_scale, heights_here.y).xzy;
    to.xz += refracted_sun.xz / refracted_sun.y * (to.y - water_level);
    int body;
    vec3 ray = normalize(to - from);
    body_hit(from, ray, (lowest_ground - from.y) / min(ray.y, -0.1), body);
    bright *= (body < 0) == bool(ON_BODIES) ? 0.0 : past_bodies(from, towards_sun);
#endif
    fragment = vec4(bright, 0.0, 0.0, 0.0);
#if DISPERSION && !ON_BODIES
    float even = min(bright, FOCUSED);
    fragment = vec4(even, bright - even, 0.0, 0.0);
#endif
}
