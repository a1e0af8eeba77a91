// What the surface of the water reflects: land and bodies, and the sky.
#include "water.glsl"

uniform sampler2D reflection;
uniform sampler2D reflection_depth; // value of its depth buffer, 0-1

// Mean square of the slopes of ripples too short to be drawn even where they are seen closely. They blur what is mirrored, or the
// outlines of hills and clouds would be as hard near the eye as in still water.
const float FINEST = CALMEST + 2.0e-3;

// Light that the water at `from` reflects from along `ray`: the planar reflection where the ray meets the land that it shows,
// and the sky where that shows nothing. `spread` is the mean square of the unresolved slopes, `down` the sine of the angle at
// which the eye looks down. Bodies are met along `broad`, a ray that no ripples bend, or their image would be specks: the slopes of
// all ripples, of mean square `fine`, blur it, and the more the farther off the body is.
vec3 reflected_light(vec3 from, vec3 ray, float spread, float down, vec3 broad, float fine) {
#if !POOL
    spread += FINEST;
#endif
    vec3 sky = reflected_sky(ray, spread);
#if REFLECTION
    // A facet that reflects towards a point lower than still water would is usually hidden by waves: only the mean is used.
    float hidden = smoothstep(0.3, 1.0, (down - ray.y) / (down + 0.03));
    ray.y = max(ray.y, 0.01);
    vec4 begin = reflection_projection * vec4(from, 1.0);
    vec4 along = reflection_projection * vec4(ray, 0.0);
    float to_plane = reflection_lift / max(ray.y, 0.04);
#if POOL
    float way = to_plane;   // good enough for a low rim
    vec4 clip = begin + way * along;
#else
    // The ray ends as far from the mirrored eye as what is seen there. Three looks find the place, from what still water would
    // show. Where that is sky, land is looked for at the plane.
    float way = 0.0;
    bool land = false;
    vec4 clip = begin;
    for (int i = 0; i < 3; ++i) {
        vec4 look = begin + way * along;
        float there = textureLod(reflection_depth, 0.5 + 0.5 * look.xy / look.w, 0.0).r;
        float to_land = clamp((linear_depth(there) - begin.w) / max(along.w, 0.05), 0.0, 2.0 * extent);
        way = there < 1.0 ? to_land : max(way, to_plane);
        clip = there < 1.0 ? look : clip;
        land = land || there < 1.0;
    }
    // A ray that rises less than that of still water does not pass over the land that is seen there.
    if (!land || ray.y > down) clip = begin + way * along;
#endif
    vec2 at = 0.5 + 0.5 * clip.xy / clip.w;
    vec2 edge = smoothstep(vec2(0.0), vec2(0.05), min(at, 1.0 - at));
    // Facets spread the ray by about twice their slope, and the wider the longer it is: nothing is spread at the foot of land,
    // or sky would be mixed in from below it.
    float blur = sqrt(2.0 * spread) / pixel_angle * picture_texel.x * float(textureSize(reflection, 0).x);
#if !POOL
    blur = max(blur * way / (way + length(from - eye)), picture_texel.x * float(textureSize(reflection, 0).x));
#endif
    vec4 scene = textureLod(reflection, at, mipmap(mix(min(log2(blur), 6.0), 6.0, hidden))) * (edge.x * edge.y);
    sky = scene.rgb + (1.0 - scene.a) * sky;
#endif
#if BODIES
    int body;
    // On a far crest the mirror turns by more within a pixel than bodies are wide: without this it would show them as dots.
    float turn = 4.0 * length(fwidth(broad));    // hulls are so much lower than long
    float path = body_hit(from, broad, extent, body);
    for (int n = int(body >= 0); n > 0; --n) {
        float radius = body_row(body, BALL).w;
        vec3 seen = body_seen(body, from + path * broad, broad, pixel_width(length(from - eye) + path), false);
        sky = mix(sky, seen, radius / (radius + (sqrt(2.0 * fine) + turn) * path));
    }
#endif
    return sky;
}
