#version 330
// The background: sky and sun, and below the horizon the floor that the block stands on or the sea around it.
#include "sky.glsl"
#include "optics.glsl"
#include "bicubic.glsl"
#include "noise.glsl"
#if UNDERWATER
#include "underwater.glsl"
#endif
#if SEA || UNDERWATER && OPEN_SIDES
#include "water.glsl"
#endif
#if SEA
#include "gbuffer.glsl"
#include "sea.glsl"
#endif

#if !SEA
uniform sampler2D floor_map;    // rg shares of sun and sky that the floor sees
#endif

in vec2 uv;
out vec4 colour;

const float SUN_RADIUS = 0.00465;   // as seen from the Earth [rad]
const float SUN_BRIGHT = 1.8e4;     // radiance in its middle, over its irradiance: its mean is about 1 / (π SUN_RADIUS²)
const float BRIGHTEST = 6e4;        // half floats hold little more

#if CLOUDS
const float WHIRLS = 1.2;   // side of the tile of noise that curls the edges of clouds, in units of their height
const float CURLED = 1.2;   // how far overhead, in texels of the map of the sky

// Sky in a direction. A texel of its map covers several pixels: it is interpolated smoothly, and the edges of clouds, which would
// be blurred or steps, are curled by whirls that are finer than the map.
vec4 sky_in_detail(vec3 ray) {
    vec3 towards = vec3(ray.x, max(ray.y, 0.03), ray.z);
    towards.xz -= towards.y * cloud_drift;
    vec2 texel = 1.0 / vec2(textureSize(sky_map, 0));
    vec2 at = sky_uv(vec3(towards.x, ray.y, towards.z));
#if FINE
    float tile = WHIRLS * towards.y;    // at the distance at which the ray is one unit long
    vec2 curl = textureLod(noise, towards.xz / tile, mipmap(log2(256.0 * pixel_angle / (tile * towards.y)))).xw;
    // Low in the sky whirls are seen from their sides, lower than a texel: they would comb what they curl.
    at += CURLED * min(3.0 * towards.y, 1.0) * texel * curl;
#endif
    return bicubic(sky_map, at, texel);
}
#endif

void main() {
    vec3 ray = normalize(picture_ray(uv));
#if CLOUDS
    vec4 above = sky_in_detail(ray);
#else
    vec4 above = sky_at(ray, 0.0);
#endif
    vec3 sky = above.rgb;
    float far = (box_low.y - eye.y) / min(ray.y, -1e-4);
    vec3 from_sun = ray - towards_sun;
    float off = dot(from_sun, from_sun);    // square of the angle from the middle of the sun
    // Towards its limb the sun is darker and redder, by a linear law (Milne 1921).
    float within = clamp(1.0 - off / (SUN_RADIUS * SUN_RADIUS), 0.0, 1.0);
    vec3 disk = min(16.0 * within, 1.0) * (1.0 - vec3(0.49, 0.60, 0.74) * (1.0 - sqrt(within)));
    vec3 glow = sun_irradiance.rgb * (SUN_BRIGHT * disk + 0.05 * exp2(-450.0 * off));
#if CLOUDS
    // What thick clouds scatter onwards blurs the disk, which vanishes from an optical depth of about ten (Linskens and Bohren 1994).
    glow *= above.a * above.a / (above.a + 1e-3);
#endif
    glow *= min(1.0, BRIGHTEST / max(max(glow.r, glow.g), max(glow.b, 1.0)));
    go_under_clouds(eye + far * ray);
#if SEA
    // The sea's mesh reaches so far that beyond it no wave can be told from a flat sea.
    bool meshed = depth_value_here() < 1.0;
    bool is_sea = meshed || ray.y < 0.0;
    vec3 flat_ray = vec3(ray.x, min(ray.y, -1e-5), ray.z);
    vec3 flat_point = eye + max(eye.y - water_level, 1e-4 * extent) / -flat_ray.y * flat_ray;
    vec3 at = meshed ? point_here(uv) : flat_point;
    vec2 still = at.xz;
    go_under_clouds(at);
#if SHIFTED
    still -= meshed ? displacement_here() : vec2(0.0);
#endif
    vec3 below = sea_radiance(at, still, ray, distance(at, eye));
#else
    bool is_sea = ray.y < 0.0;
    vec2 middle = 0.5 * (box_low.xz + box_high.xz);
    vec2 away = (eye.xz + far * ray.xz - middle) / (FLOOR_REACH * extent);
    vec2 seen = textureLod(floor_map, 0.5 + 0.5 * away, 0.0).rg;
    vec3 below = floor_along(ray, far, seen);
#endif
    vec3 light = is_sea ? below : sky + glow;
#if UNDERWATER && SEA
    // Seen from under water, the sea continues beyond the block.
    if (near_plane_depth(uv) > 0.0) light = sea_from_within(ray);
#elif UNDERWATER && OPEN_SIDES
    // Seen from under water, the block's sides show what lies around it, or mirror what is in it. A ray that meets no surface
    // reaches them, in a crest even above still water.
    float to_side = distance_to_side(eye, ray, 1e6 * extent);
    vec3 at_side = eye + to_side * ray;
    if (near_plane_depth(uv) > 0.0) {
        float path;
        light = met_in_water(at_side, ray, to_side, 0.0, ground_under(at_side.xz), path);
        light = light * left_after(path) + inscatter_within(water_level - at_side.y, ray, path) * behind_veil(to_side);
        light = light * left_after(to_side) + inscatter_from_eye(ray, to_side);
    }
#elif UNDERWATER
    light = through_water(light, uv, ray, 1e6 * extent);
#endif
    colour = vec4(light, 1.0);
}
