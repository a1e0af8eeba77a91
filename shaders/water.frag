#version 330
// The water's surface from above: mirrored sky and scene, the sun's glitter, foam, and what is seen through it.
#include "marks.glsl"
#include "water.glsl"
#include "waves.glsl"
#if FOAM
#include "foam.glsl"
#endif

uniform sampler2D mirror;

in vec2 uv;
out vec4 colour;

// What the water mirrors at `from`, seen down at an angle of the sine `down`: the scene above it, as the mirrored camera saw it where a mirrored ray meets a plane a
// little above the water, and the sky where that shows nothing. Slopes too fine to show have a mean square of `spread`.
vec3 mirrored_light(vec3 from, vec3 ray, float spread, float down) {
    vec3 sky = mirrored_sky(ray, spread);
#if MIRROR
    // What facets mirror that send it lower than still water would is hidden by waves more often than not: only its mean.
    float hidden = smoothstep(0.3, 1.0, (down - ray.y) / (down + 0.03));
    ray.y = max(ray.y, 0.01);
    vec4 clip = mirror_projection * vec4(from + ray * (look.w / max(ray.y, 0.04)), 1.0);
    vec2 at = 0.5 + 0.5 * clip.xy / clip.w;
    vec2 edge = smoothstep(vec2(0.0), vec2(0.05), min(at, 1.0 - at));
    // Facets spread the ray by about twice their own angle.
    float blur = sqrt(2.0 * spread) / scatter.w * screen.z * float(textureSize(mirror, 0).x);
    vec4 scene = textureLod(mirror, at, mipmap(mix(min(log2(blur), 6.0), 6.0, hidden))) * (edge.x * edge.y);
    sky = scene.rgb + (1.0 - scene.a) * sky;
#endif
    return sky;
}

void main() {
    vec3 position = point_here(uv);
    vec3 to_eye = eye.xyz - position;
    float far = length(to_eye);
    to_eye /= far;
    float width = water_width(far, to_eye.y);
    vec2 still = position.xz;
#if SHIFTED
    still -= mark_here().gb;
#endif
    Waves here = waves_at(still, width);
    vec3 normal = normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = rough_cosine(max(dot(normal, to_eye), 0.02), here.spread);
    vec2 shore = textureLod(bed, field_uv(position.xz), 0.0).rg;
#if BODIES
    shore.g *= unshaded(sunbeam(position, width), position);
#endif

    // Where the water thins out to nothing its gloss does, too, so that no hard line is left.
    float shown = smoothstep(0.0, 0.012 * absorption.w + 0.0002 * forward.w, position.y - shore.r);
    vec3 sun_in = sun_light.rgb * (shore.g * max(dot(normal, sun.xyz), 0.0));
    vec3 below = seen_through(position, refract(-to_eye, normal, 1.0 / INDEX), far, sun_in);
    vec3 above = mirrored_light(position, reflect(-to_eye, normal), here.spread, to_eye.y);
    vec3 water = mix(below, above, shown * fresnel(cosine));
    water += sun_light.rgb * (shown * shore.g * glitter(normal, to_eye, cosine, here.spread));
#if FOAM
    water = foam_over(water, still, here.foam, normal, shore.g, width);
#endif
    colour = vec4(water, 1.0);
}
