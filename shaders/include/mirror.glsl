// What the surface of the water reflects: land and bodies, and the sky.
#include "water.glsl"

uniform sampler2D reflection;
uniform sampler2D reflection_depth; // value of its depth buffer, 0-1

// Mean square of the slopes of ripples too short to be drawn even where they are seen closely. They blur what is mirrored. In the glitter
// the sun is so bright that facets flash one by one: a wider lobe would make an even glow of them.
#if POOL
const float FINEST = 0.0;
#elif WIND || DETAIL
const float FINEST = CALMEST;
#else
const float FINEST = CALMEST + 2.0e-3;
#endif

// Light that the water at `from` reflects from along `ray`: the planar reflection where the ray meets the land that it shows,
// and the sky where that shows nothing. `spread` is the mean square of the unresolved slopes, `down` the sine of the angle at
// which the eye looks down. Bodies are met along `broad`, a ray that no ripples bend, or their image would be specks: the slopes of
// all ripples, of mean square `fine`, blur it, and the more the farther off the body is.
vec3 reflected_light(vec3 from, vec3 ray, float spread, float down, vec3 broad, float fine) {
    spread += FINEST;
    float slant = ray.y;
    // A ray that goes below the horizon meets other waves, which reflect what is above it.
    ray.y = sqrt(max(ray.y, 0.01) * max(ray.y, 0.01) + spread);
    vec3 sky = reflected_sky(ray, spread);
#if REFLECTION
    vec4 begin = reflection_projection * vec4(from, 1.0);
    float size = picture_texel.x * float(textureSize(reflection, 0).x) / pixel_angle;    // texels to a radian
#if POOL
    // A facet that reflects towards a point lower than still water would is usually hidden by waves: only the mean is used. A low
    // rim is looked up at the plane.
    float hidden = smoothstep(0.3, 1.0, (down - slant) / (down + 0.03));
    ray.y = max(slant, 0.01);
    vec4 clip = begin + reflection_lift / max(ray.y, 0.04) * (reflection_projection * vec4(ray, 0.0));
    vec2 at = 0.5 + 0.5 * clip.xy / clip.w;
    vec2 edge = smoothstep(vec2(0.0), vec2(0.05), min(at, 1.0 - at));
    vec4 scene = textureLod(reflection, at, mipmap(mix(min(log2(sqrt(2.0 * spread) * size), 6.0), 6.0, hidden)));
#else
    // The ray ends as far from the mirrored eye as what is seen there. Two looks find the place, from what still water would
    // show. Where that is sky, land is looked for at the plane.
    vec4 along = reflection_projection * vec4(ray, 0.0);
    float to_plane = reflection_lift / max(ray.y, 0.04);
    float per_depth = 1.0 / max(along.w, 0.05);
    float way = 0.0;
    vec4 look = begin;
    for (int i = 0; i < 2; ++i) {
        float there = textureLod(reflection_depth, 0.5 + 0.5 * look.xy / look.w, 0.0).r;
        float to_land = clamp((linear_depth(there) - begin.w) * per_depth, 0.0, 2.0 * extent);
        way = there < 1.0 ? to_land : to_plane;
        look = begin + way * along;
    }
    // Facets turn the ray by twice their slope up and down, and sideways by that times the sine of its height: one level of the
    // picture stands for the mean of the two. Nothing is spread at the foot of land, where the way is short.
    float tilt = sqrt(2.0 * spread);
    float width = 2.0 * tilt * sqrt(ray.y);
    float level = log2(max(width * size * way / (way + length(from - eye)), 1.0));
    // Two looks, one above the other, make up for the rest, or the outlines of land would be as hard as in still water. The upper
    // one is wider, since few facets that turn the ray far still let a bright sky in.
    float lower = min(0.8 * tilt, 0.7 * ray.y);
    vec4 high = begin + way * (along + 0.8 * tilt * reflection_projection[1]);
    vec4 low = begin + way * (along - lower * reflection_projection[1]);
    vec4 scene = textureLod(reflection, 0.5 + 0.5 * low.xy / low.w, level);
    // Below the foot of land the picture shows nothing. What lies there in the lower look is water, which mirrors the land as well.
    scene /= mix(1.0, max(scene.a, 0.2), clamp(1.0 - (ray.y - lower) / (1.25 * width), 0.0, 1.0));
    scene = 0.5 * (scene + textureLod(reflection, 0.5 + 0.5 * high.xy / high.w, level + 1.0));
    vec2 at = 0.5 + 0.5 * look.xy / look.w;
    vec2 edge = smoothstep(vec2(0.0), vec2(0.05), min(at, 1.0 - at));
#endif
    scene *= edge.x * edge.y;
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
