#version 330
// Baked once for a terrain and a sun: shares of the sun and of the sky that the floor around the block sees.
#include "view.glsl"

in vec2 uv;
out vec4 shares;

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
    vec2 middle = 0.5 * (box_low.xz + box_high.xz);
    vec3 point = vec3(0.0, box_low.y, 0.0);
    point.xz = middle + (2.0 * uv - 1.0) * FLOOR_REACH * forward.w;
    shares = vec4(sun_on_floor(point), sky_on_floor(point), 0.0, 1.0);
}
