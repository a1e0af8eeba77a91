#version 330
// The water's surface from below: Snell's window to sky and land, and total reflection of the water around it.
#include "gbuffer.glsl"
#include "water.glsl"
#include "waves.glsl"
#include "underwater.glsl"
#if FOAM
#include "foam.glsl"
#endif

in vec2 uv;
out vec4 colour;

const float WINDOW = 0.6612;    // cosine at the edge of Snell's window, arcsin(1 / INDEX)

const float FOAM_SENT = 0.35;   // of the light that falls on foam, the share that goes down

// How much rays go down at least that the surface reflects. The more level one is, the farther it goes on, and near the horizon only
// water is mirrored, as bright as it is seen directly. In a closed pool waves would show the dark tiles at the waterline as dashes.
#if SEA || OPEN_SIDES
const float LEAST_DOWN = 1e-3;
#else
const float LEAST_DOWN = 0.05;
#endif

// Light in air along a unit ray from the surface, `far` metres from the eye: land or a body in its way, else sky and sun, through
// facets as in `sun_through`. `ground` is that under `from`.
vec3 seen_above(vec3 from, vec3 ray, float far, vec4 ground, float bend, float spread) {
    // Ground below still water is hidden by other waves.
    float path = distance_to_ground(vec3(from.x, max(from.y, water_level), from.z), ray, extent, ground);
#if BODIES
    int body;
    path = body_hit(from, ray, path, body);
    if (body >= 0) return body_seen(body, from + path * ray, ray, pixel_width(far + path), false, path * ray.y);
#endif
    vec3 at = from + path * ray;
    if (path <= extent && block_uv(at.xz) == clamp(block_uv(at.xz), 0.0, 1.0)) {
        Ground land = ground_at(at, ray, pixel_width(far + path));
        return lit_above(land.normal, land.albedo, land.sun, land.sky);
    }
    return sky_at(ray, 0.0).rgb + sun_light * sun_through(ray, bend, spread);
}

void main() {
    if (near_plane_depth(uv) <= 0.0) discard;
    vec3 point = point_here(uv);
    vec3 ray = point - eye;
    float far = length(ray);
    ray /= far;
    go_under_clouds(point);
    vec2 still = point.xz;
#if SHIFTED
    still -= displacement_here();
#endif
    // Refraction shows more from below than from above, so fine waves are left to their mean.
    float width = 4.0 * pixel_width(far) * inversesqrt(max(ray.y, 0.05));
    Waves here = waves_at(still, width);
    vec3 inward = -normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = max(-dot(ray, inward), 0.0);
    // Snell's law. Beyond the window's edge the ray grazes the surface; below the horizon it would meet other waves.
    float bend = INDEX * cosine - sqrt(max(1.0 - INDEX * INDEX * (1.0 - cosine * cosine), 0.0));
    vec3 outward = INDEX * ray + bend * inward;
    outward.y = max(outward.y, 1e-3);
    vec4 ground = ground_under(point.xz);
    vec3 above = seen_above(point, normalize(outward), far, ground, bend, here.spread);
    vec3 reflected = reflect(ray, inward);
    reflected = normalize(vec3(reflected.x, -max(abs(reflected.y), LEAST_DOWN), reflected.z));
    float path;
    // Facets turn it by twice their slopes, sideways as well as along it. Were it sharp, a bright net on the ground would be mirrored as a
    // scribble. A pool's waves are smooth.
    float turned = POOL == 1 ? 0.0 : sqrt(2.0 * here.spread);
    vec3 below = met_in_water(point, reflected, far, turned, ground, path);
    below = below * left_after(path) + inscatter_within(0.0, reflected, path) * behind_veil(far);
    // Unresolved facets blur the edge of the window by about their own slope: a share of them lies beyond it.
    float lean = sqrt(0.5 * here.spread + 1e-5);
    float beyond = clamp(0.5 + 0.5 * (WINDOW - cosine) / lean, 0.0, 1.0);
    float within = 0.5 * (max(cosine - lean, WINDOW) + clamp(cosine + lean, WINDOW, 1.0));
    float mirroring = mix(fresnel_below(within), 1.0, beyond);
    vec3 light = mix(above, below, mirroring);
#if FOAM
    // Foam lets some light through but nothing can be seen through it.
    vec3 sent = FOAM_SENT * (towards_sun.y / PI * sun_light + sky_light[0].rgb);
    light = mix(light, sent, foam_at(still, here.foam, width).share);
#endif
    colour = vec4(light * left_after(far) + inscatter_from_eye(ray, far), 1.0);
}
