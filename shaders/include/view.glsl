// What every shader is told about the moment, and what follows from it alone.

const float PI = 3.14159265;

#if FLAT_VIEW
// Mesa's software OpenGL gathers a uniform for each pixel anew, which costs as much as an exponential; what all corners of
// a triangle share costs it nothing. There the vertex shader hands the moment on (hand_on.glsl).
#define MEMBER(kind, name) flat in kind name;
#include "view.list"
#else
#define MEMBER(kind, name) kind name;
layout(std140) uniform View {
#include "view.list"
};
#endif

// Texture coordinate of world (x, z) in a field with one texel a grid point.
vec2 field_uv(vec2 xz) {
    vec2 cell = (xz - box_low.xz) / grid.x;
    return (cell + 0.5) * grid.zw;
}

// Share of the way across the block, 0-1.
vec2 block_uv(vec2 xz) {
    return (xz - box_low.xz) / (box_high.xz - box_low.xz);
}

// Direction through a point of the picture, 0-1; its length along `forward` is 1.
vec3 picture_ray(vec2 uv) {
    return forward.xyz + (2.0 * uv.x - 1.0) * right.xyz + (2.0 * uv.y - 1.0) * up.xyz;
}

// Distance along `forward` of a depth buffer's value, 0-1.
float linear_depth(float depth) {
    return right.w * up.w / (up.w - depth * (up.w - right.w));
}

// A mipmap level that is fit for textureLod: never quite 0, as Mesa's software OpenGL errs where some of the pixels that it
// takes together are magnified and some are not.
float mipmap(float detail) {
    return max(detail, 0.01);
}

// Width of what one pixel shows at a distance [m].
float pixel_width(float far) {
    return far * scatter.w;
}
