#version 330
// The water's surface from above: reflected sky and scene, the sun's glitter, foam, and the view into the water.
#include "gbuffer.glsl"
#include "water.glsl"
#include "waves.glsl"
#if FOAM
#include "foam.glsl"
#endif

uniform sampler2D reflection;

in vec2 uv;
out vec4 colour;

// Light that the water at `from` reflects from along `ray`: the planar reflection where the ray meets a plane a little above
// the water, and the sky where that shows nothing. `spread` is the mean square of the unresolved slopes, `down` the sine of
// the angle at which the eye looks down.
vec3 reflected_light(vec3 from, vec3 ray, float spread, float down) {
    vec3 sky = reflected_sky(ray, spread);
#if REFLECTION
    // A facet that reflects towards a point lower than still water would is usually hidden by waves: only the mean is used.
    float hidden = smoothstep(0.3, 1.0, (down - ray.y) / (down + 0.03));
    ray.y = max(ray.y, 0.01);
    vec4 clip = reflection_projection * vec4(from + ray * (reflection_lift / max(ray.y, 0.04)), 1.0);
    vec2 at = 0.5 + 0.5 * clip.xy / clip.w;
    vec2 edge = smoothstep(vec2(0.0), vec2(0.05), min(at, 1.0 - at));
    // Facets spread the ray by about twice their slope.
    float blur = sqrt(2.0 * spread) / pixel_angle * picture_texel.x * float(textureSize(reflection, 0).x);
    vec4 scene = textureLod(reflection, at, mipmap(mix(min(log2(blur), 6.0), 6.0, hidden))) * (edge.x * edge.y);
    sky = scene.rgb + (1.0 - scene.a) * sky;
#endif
#if BODIES
    int body;
    float path = body_hit(from, ray, extent, body);
    if (body >= 0) sky = body_seen(body, from + path * ray, ray, pixel_width(length(from - eye) + path));
#endif
    return sky;
}

void main() {
    vec3 position = point_here(uv);
    vec3 to_eye = eye - position;
    float far = length(to_eye);
    to_eye /= far;
    float width = water_footprint(far, to_eye.y);
    vec2 still = position.xz;
#if SHIFTED
    still -= displacement_here();
#endif
    Waves here = waves_at(still, width);
    vec3 normal = normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = rough_cosine(max(dot(normal, to_eye), 0.02), here.spread);
    vec2 bed_here = textureLod(bed, field_uv(position.xz), 0.0).rg;
    float ground = bed_here.r;
    float sun_seen = bed_here.g;
#if BODIES
    sun_seen *= past_bodies(position, towards_sun);
#endif

    // Where the water thins out, so does its gloss: no hard line is left.
    float shown = smoothstep(0.0, 0.012 * mean_depth + 0.0002 * extent, position.y - ground);
    vec3 sun_in = sun_light * (sun_seen * max(dot(normal, towards_sun), 0.0));
    vec3 below = seen_through(position, refract(-to_eye, normal, 1.0 / INDEX), far, sun_in);
    vec3 above = reflected_light(position, reflect(-to_eye, normal), here.spread, to_eye.y);
    vec3 water = mix(below, above, shown * fresnel(cosine));
    water += sun_light * (shown * sun_seen * glitter(normal, to_eye, cosine, here.spread));
#if FOAM
    water = foam_over(water, still, here.foam, normal, sun_seen, width);
#endif
    colour = vec4(water, 1.0);
}
