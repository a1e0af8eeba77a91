#version 330
// Where nothing else is: sky and sun, and below the horizon a pale floor that the block stands on.
#include "sky.glsl"

in vec2 uv;
out vec4 colour;

const float SUN_EDGE = 0.99996;     // cosine of the sun's radius, 0.51 degrees: twice the true one reads better

// Share of the sun that reaches a floor point: the block's shadow, softer away from it.
float sun_on_floor(vec3 point) {
    vec3 inverse = 1.0 / (sun.xyz + vec3(1e-6));
    vec3 top = vec3(box_high.x, mix(box_low.w, box_high.y, 0.25), box_high.z);
    vec3 a = (box_low.xyz - point) * inverse;
    vec3 b = (top - point) * inverse;
    vec3 low = min(a, b);
    vec3 high = max(a, b);
    float begin = max(low.x, low.z);
    float end = min(min(high.x, high.y), high.z);
    float soft = 0.02 * forward.w + 0.10 * max(begin, 0.0);
    return 1.0 - smoothstep(-soft, soft, end - max(begin, 0.0));
}

// Share of the sky that a floor point sees past the block.
float sky_on_floor(vec3 point) {
    vec2 middle = 0.5 * (box_low.xz + box_high.xz);
    vec2 outside = max(abs(point.xz - middle) - 0.5 * (box_high.xz - box_low.xz), 0.0);
    float height = box_low.w - box_low.y;
    return 1.0 - 0.75 * exp(-1.6 * length(outside) / height);
}

void main() {
    vec3 ray = normalize(picture_ray(uv));
    vec3 sky = sky_radiance(ray);
    float far = (box_low.y - eye.y) / min(ray.y, -1e-4);
    vec3 point = eye.xyz + far * ray;
    vec3 stage = stage_radiance(sun_on_floor(point), sky_on_floor(point));
    float mu = dot(ray, sun.xyz);
    float disk = smoothstep(SUN_EDGE - 1e-5, SUN_EDGE, mu);
    vec3 glow = sun_light.rgb * (60.0 * disk + 0.05 * exp2((mu - 1.0) * 900.0));
    colour = vec4(ray.y < 0.0 ? mix(sky, stage, exp(-far / (15.0 * forward.w))) : sky + glow, 1.0);
}
