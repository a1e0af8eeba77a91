#version 330
// The water's cut sides: like looking into an aquarium.
#include "surface.glsl"
#include "gbuffer.glsl"
#include "water.glsl"

in vec2 uv;
out vec4 colour;

void main() {
    vec3 position = point_here(uv);
    // The ground's mesh and the ground that rays meet differ a little: a ray may not begin in the ground.
    vec4 ground = ground_under(position.xz);
    position.y = max(position.y, ground.r + 0.001 * mean_depth);
    vec3 normal = side_normal(position);
    vec3 to_eye = eye - position;
    float far = length(to_eye);
    to_eye /= far;
    float cosine = max(dot(normal, to_eye), 0.02);
    vec3 inward = refract(-to_eye, normal, 1.0 / INDEX);
    vec3 below = seen_through(position, water_level - position.y, inward, far, ground, sun_light * towards_sun.y);
    vec3 light = mix(below, surroundings(position, reflect(-to_eye, normal)), fresnel(cosine));
#if POOL
    // Where side and surface meet the edge is round and bends light away from the eye: a dark line shows where the level is.
    float line = 0.008 * mean_depth;
    float down = (water_level + water_height(position.xz) - position.y) / max(line, pixel_width(far));
    light *= 1.0 - 0.75 * min(line / pixel_width(far), 1.0) * exp(-0.16 * down * down);
#endif
    colour = vec4(light, 1.0);
}
