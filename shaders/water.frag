#version 330
// The water's surface from above: reflected sky and scene, the sun's glitter, foam, and the view into the water.
#include "gbuffer.glsl"
#include "mirror.glsl"
#include "glints.glsl"
#include "waves.glsl"
#if FOAM
#include "foam.glsl"
#endif

in vec2 uv;
out vec4 colour;

void main() {
    vec3 position = point_here(uv);
    vec3 to_eye = eye - position;
    float far = length(to_eye);
    to_eye /= far;
    float width = water_footprint(far, to_eye.y);
    vec2 still = position.xz;
    go_under_clouds(position);
#if SHIFTED
    still -= displacement_here();
#endif
    Waves here = waves_at(still, width);
    vec3 normal = normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = rough_cosine(max(dot(normal, to_eye), 0.02), here.spread);
    vec4 ground = ground_under(position.xz);
    float depth = position.y - ground.r;
    float sun_seen = ground.g;
#if BODIES
    sun_seen *= past_bodies(position, towards_sun);
#endif

    float bare = 0.0;
#if FOAM
    float foam_width = foam_footprint(far, to_eye.y);
    float carried = foam_carried(depth);
#if SHORE
    float lapping = surf(still, depth, foam_width, bare);
    float denser = max(here.foam, lapping);
    carried = max(carried * here.foam, lapping) / max(denser, 1e-6);    // this foam has a front of its own
    here.foam = denser;
#endif
#endif
    // Where the water thins out, so does its gloss: no hard line is left.
    float shown = smoothstep(0.0, film_depth(far), depth - bare);
    vec3 sun_in = sun_light * (ground.g * max(dot(normal, towards_sun), 0.0));
    vec3 onward = refract(-to_eye, normal, 1.0 / INDEX);
    vec3 below = seen_through(position, 0.0, onward, far, ground, sun_in);
#if !POOL
    below += sun_seen * through_crest(position, onward, normal);
    // Under a film of water the ground is lit as wet ground beside it: its surface bends no light together.
    if (shown < 1.0) {
        Ground wet = ground_at(position, -to_eye, pixel_width(far));
        below = mix(lit_above(wet.normal, wetted(wet.albedo, wet.rock, 1.0), sun_seen, wet.sky), below, shown);
    }
#endif
    vec3 above = reflected_light(position, reflect(-to_eye, normal), here.spread, to_eye.y);
#if FOAM
    Foam foam = foam_at(still, here.foam, foam_width);
    below = with_bubbles(below, carried * foam.bubbles, normal, max(sun_seen, ASIDE * ground.g));
#endif
#if POOL
    float reflected = fresnel(cosine);
#else
    float reflected = rough_fresnel(dot(normal, to_eye), here.spread + FINEST);
#endif
    vec3 water = mix(below, above, shown * reflected);
    water += sun_light * (shown * sun_seen * glints(normal, to_eye, cosine, here.spread, still, far));
#if FOAM
    water = foam_over(water, foam, carried, normal, sun_seen);
#endif
    colour = vec4(through_air(water, -to_eye, far), 1.0);
}
