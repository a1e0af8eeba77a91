#version 330
// Shares of sun and sky that reach the floor around the block. Baked once per terrain and sun.
#include "view.glsl"
#include "sky.glsl"

in vec2 uv;
out vec4 shares;

// Share of the sun that reaches a point of the floor: the block's shadow, softer the farther it falls.
float sun_on_floor(vec3 point) {
    vec3 inverse = 1.0 / (towards_sun + vec3(1e-6));
    vec3 top = vec3(box_high.x, mix(water_level, box_high.y, 0.25), box_high.z);
    vec3 a = (box_low - point) * inverse;
    vec3 b = (top - point) * inverse;
    vec3 low = min(a, b);
    vec3 high = max(a, b);
    float begin = max(low.x, low.z);
    float end = min(min(high.x, high.y), high.z);
    float soft = 0.02 * extent + 0.10 * max(begin, 0.0);
    return 1.0 - smoothstep(-soft, soft, end - max(begin, 0.0));
}

// Share of the sky that a point of the floor sees past the block.
float sky_on_floor(vec3 point) {
    vec2 middle = 0.5 * (box_low.xz + box_high.xz);
    vec2 outside = max(abs(point.xz - middle) - 0.5 * (box_high.xz - box_low.xz), 0.0);
    float height = water_level - box_low.y;
    return 1.0 - 0.75 * exp(-1.6 * length(outside) / height);
}

void main() {
    vec2 middle = 0.5 * (box_low.xz + box_high.xz);
    vec3 point = vec3(0.0, box_low.y, 0.0);
    point.xz = middle + (2.0 * uv - 1.0) * FLOOR_REACH * extent;
    shares = vec4(sun_on_floor(point), sky_on_floor(point), 0.0, 1.0);
}
