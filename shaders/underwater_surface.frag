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

// Light in air along a unit ray from the surface: land in its way, else sky and sun.
vec3 seen_above(vec3 from, vec3 ray, float spread) {
    const int STEPS = 18;
#if BODIES
    int body;
    float to_body = body_hit(from, ray, extent, body);
    if (body >= 0) return body_seen(body, from + to_body * ray, ray, pixel_width(length(from - eye) + to_body));
#endif
    float before = 0.0;
    for (int i = 1; i <= STEPS; ++i) {
        float share = float(i) / float(STEPS);
        float path = extent * share * share;
        vec3 at = from + ray * path;
        if (at.y > box_high.y) break;
        if (bed_at(at.xz) > at.y && block_uv(at.xz) == clamp(block_uv(at.xz), 0.0, 1.0)) {
            at = from + ray * 0.5 * (before + path);
            Ground ground = ground_at(at, ray, pixel_width(path) + 0.2 * (path - before));
            return lit_above(ground.normal, ground.albedo, ground.sun, ground.sky);
        }
        before = path;
    }
    float off = 2.0 - 2.0 * dot(ray, towards_sun);
    return sky_at(ray, 0.0).rgb + sun_light * min(exp(-off / spread) / (PI * spread), 400.0);
}

// Light in the water along a unit ray that goes down from the surface. Beyond the block the ground continues at the height
// that it has at the block's side.
vec3 seen_below(vec3 from, vec3 ray, float far) {
    float path = distance_to_ground(from, ray, extent);
    int body = -1;
#if BODIES
    path = body_hit(from, ray, path, body);
#endif
    vec3 met = from + ray * path;
    vec3 behind = body < 0 ? ground_in_water(met, ray, pixel_width(far + path)) : vec3(0.0);
#if BODIES
    if (body >= 0) behind = body_seen(body, met, ray, pixel_width(far + path));
#endif
    return behind * exp(-absorption * path) + inscatter(0.0, ray, path, sun_light * towards_sun.y * sun_transmittance);
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
    vec3 above = seen_above(point, normalize(refract(ray, inward, INDEX) + vec3(0.0, 1e-6, 0.0)), 0.002 + here.spread);
    vec3 reflected = reflect(ray, inward);
    reflected.y = -max(abs(reflected.y), 0.05);
    vec3 below = seen_below(point, normalize(reflected), far);
    // Unresolved facets blur the edge of the window by about their own slope.
    float lean = sqrt(0.5 * here.spread + 1e-5);
    float mirroring = (fresnel_below(cosine) + fresnel_below(min(cosine + lean, 1.0)) + fresnel_below(cosine - lean)) / 3.0;
    vec3 light = mix(above, below, mirroring);
#if FOAM
    // Foam lets some light through but nothing can be seen through it.
    light = mix(light, 0.35 * (sun_light * towards_sun.y / PI + sky_light[0].rgb), foam_cover(foam_at(still, here.foam, width).thickness, here.foam));
#endif
    colour = vec4(light * exp(-absorption * far) + inscatter_from_eye(ray, far), 1.0);
}
