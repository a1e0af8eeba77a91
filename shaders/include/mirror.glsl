// What the surface of the water reflects: land and bodies, and the sky.
#include "water.glsl"

uniform sampler2D reflection;       // of a pool as the mirrored camera sees it, else drawn out (drawn_out.frag)
uniform sampler2D reflection_depth; // one over the distance along `forward` of land that is seen in it or above which it is

// Mean square of the slopes of ripples too short to be drawn even where they are seen closely. They blur what is mirrored, or the
// outlines of hills and clouds would be as hard near the eye as in still water. Where the wind is known, it tells of nearly all slopes
// (ripples.glsl).
#if POOL
const float FINEST = 0.0;
#elif WIND || DETAIL
const float FINEST = CALMEST;
#else
const float FINEST = CALMEST + 2.0e-3;
#endif

#if REFLECTION && POOL
// Texels across a pool's picture at the mipmap level where it is blurred most, however large it is: each is 1 to 2 degrees wide. As in
// waterview/render/light/reflection.py, which makes no coarser levels.
const float COARSEST = 40.0;
#endif

#if REFLECTION && !POOL
const int LOOKS = 1 + FINE;

// Share of a lobe that lies below the horizon, whose middle is `above` it in units of its width: that of a quadratic B-spline, as
// which linear interpolation shows a texel of a mipmap level.
float below_horizon(float above) {
    float x = clamp(above, 0.0, 1.5);
    float end = 1.5 - x;
    return x < 0.5 ? 0.5 - x * (0.75 - x * x / 3.0) : end * end * end / 6.0;
}

// One over the distance along `forward` of the land that is seen at `look` in the reflected picture, by water at the distance `far`: 0
// for none, and -1 where the picture has only land before the water, which that does not mirror.
float land_beyond(vec4 look, float far) {
    vec2 at = 0.5 + 0.5 * look.xy / look.w;
    float nearness = textureLod(reflection_depth, at, 0.0).r;
    // Just behind a spit or an islet rows are too coarse to part water from that. It mirrors what lies beyond, whose foot is farther
    // up.
    if (nearness * far > 1.0) {
        nearness = textureLod(reflection_depth, at + vec2(0.0, 1.5 / float(textureSize(reflection_depth, 0).y)), 0.0).r;
        if (nearness * far > 1.0 || nearness == 0.0) nearness = -1.0;
    }
    return nearness;
}

// Distance along a ray, both in clip coordinates of the reflected picture, to land of this nearness.
float way_to_land(vec4 begin, vec4 along, float nearness) {
    return clamp((1.0 / max(nearness, 1e-9) - begin.w) / max(along.w, 0.05), 0.0, 2.0 * extent);
}

// Land that facets mirror from around a ray, whose height above the horizon has this deviation, premultiplied by its share.
// `height` becomes that of the rays that pass over it.
//
// Two looks, one above the other, make up the lobe, each half as wide; without fine detail there is one. A lobe as wide on the
// picture that the mirrored camera takes is the narrower the nearer the land, as at its foot both look at the same place. Below its
// foot the picture shows nothing; no ray goes there, so what is left of the lobe counts for the whole.
vec4 mirrored_land(vec3 from, vec3 ray, float deviation, out float height) {
    mat4 project = reflection_projection;
    float count = float(textureSize(reflection, 0).y);
    float rows = 0.5 * count * length(vec3(project[0].y, project[1].y, project[2].y));     // to a radian
    float far = length(from - eye);
    vec4 begin = project * vec4(from, 1.0);
    vec4 along = project * vec4(ray, 0.0);
    // The ray ends as far from the mirrored eye as what is seen there: still water tells where to look first.
    float way = way_to_land(begin, along, land_beyond(begin, begin.w));
    vec4 land = vec4(0.0);
    float open = 1e-4;
    height = open * ray.y;
    for (int i = 0; i < LOOKS; ++i) {
        // With a quarter of the variance in each of two looks.
        float aside = sqrt(0.75) * deviation * float(2 * i + 1 - LOOKS);
        vec4 part = along + aside * project[1];
        float nearness = land_beyond(begin + way * part, begin.w);
        float to_land = way_to_land(begin, part, nearness);
        vec4 look = begin + to_land * part;
        // Half a row up, since the foot of land is known no better. The picture is upside down.
        vec2 at = 0.5 + 0.5 * look.xy / look.w - vec2(0.0, 0.5 / count);
        vec2 edge = smoothstep(vec2(0.0), vec2(0.05), min(at, 1.0 - at));
        float seen = rows * to_land / (to_land + far);
        float width = max(2.0 / float(LOOKS) * deviation * seen, 1.0);
        vec4 scene = textureLod(reflection, at, log2(width));
        scene /= 1.0 - below_horizon(((ray.y + aside) * seen + 0.5) / width);
        scene *= step(0.0, nearness) * edge.x * edge.y / max(scene.a, 1.0);
        land += scene / float(LOOKS);
        height += (1.0 - scene.a) * (ray.y + aside);
        open += 1.0 - scene.a;
    }
    height /= open;
    return land;
}
#endif

// Light that the water at `from` reflects from along `ray`: the planar reflection where the ray meets the land that it shows,
// and the sky where that shows nothing. `spread` is the mean square of the unresolved slopes, `down` the sine of the angle at
// which the eye looks down. The unresolved slopes blur the image of a body, and the more the farther off it is.
vec3 reflected_light(vec3 from, vec3 ray, float spread, float down) {
    vec3 straight = ray;
    spread += FINEST;
    float still = ray.y;
    ray.y = lobe_height(still, spread);
    float deviation = lobe_deviation(ray.y, spread);
    float slant = 0.5 * (down + ray.y);
#if REFLECTION && !POOL
    float height;
    vec4 land = mirrored_land(from, ray, deviation, height);
    vec3 sky = land.rgb + (1.0 - land.a) * reflected_sky(vec3(ray.x, height, ray.z), deviation, slant);
#else
    vec3 sky = reflected_sky(ray, deviation, slant);
#endif
#if REFLECTION && POOL
    // A facet that reflects towards a point lower than still water would is usually hidden by waves: only the mean is used. A low
    // rim is looked up at the plane.
    float hidden = smoothstep(0.3, 1.0, (down - still) / (down + 0.03));
    ray.y = max(still, 0.01);
    vec4 clip = reflection_projection * vec4(from + reflection_lift / max(ray.y, 0.04) * ray, 1.0);
    vec2 at = 0.5 + 0.5 * clip.xy / clip.w;
    vec2 edge = smoothstep(vec2(0.0), vec2(0.05), min(at, 1.0 - at));
    float blur = sqrt(2.0 * spread) / pixel_angle * picture_texel.x * float(textureSize(reflection, 0).x);
    float most = log2(float(textureSize(reflection, 0).x) / COARSEST);
    vec4 scene = textureLod(reflection, at, mipmap(mix(min(log2(blur), most), most, hidden))) * (edge.x * edge.y);
    sky = scene.rgb + (1.0 - scene.a) * sky;
#endif
#if BODIES
    int body;
    // On a far crest the mirror turns by more within a pixel than bodies are wide: without this it would show them as dots.
    float turn = 4.0 * length(fwidth(straight));    // hulls are so much lower than long
    float path = body_hit(from, straight, extent, body);
    if (body >= 0) {
        float radius = body_row(body, BALL).w;
        vec3 at = from + path * straight;
        vec3 seen = body_seen(body, at, straight, pixel_width(length(from - eye) + path), false, at.y - from.y);
        sky = mix(sky, seen, radius / (radius + (sqrt(2.0 * spread) + turn) * path));
    }
#endif
    return sky;
}
