// What every shader knows about the picture, and what follows from that alone.

const float PI = 3.14159265;
const float GRAVITY = 9.81;     // as in waterview/core/constants.py [m/s2]

#if VIEW_AS_VARYINGS
// Mesa's software OpenGL loads a uniform for each pixel again, which costs as much as an exponential. A flat varying costs
// it nothing, so there the vertex shader passes the view on (view_varyings.glsl).
#define MEMBER(kind, name) flat in kind name;
#include "view.list"
#else
#define MEMBER(kind, name) kind name;
layout(std140) uniform View {
#include "view.list"
};
#endif

// Texture coordinate of world (x, z) in a texture with one texel per grid point.
vec2 field_uv(vec2 xz) {
    vec2 cell = (xz - box_low.xz) / grid_spacing;
    return (cell + 0.5) * grid_texel;
}

// Share of the way across the block, 0-1.
vec2 block_uv(vec2 xz) {
    return (xz - box_low.xz) / (box_high.xz - box_low.xz);
}

// Direction through a point of the picture (0-1). Its component along `forward` is 1.
vec3 picture_ray(vec2 uv) {
    return forward + (2.0 * uv.x - 1.0) * right + (2.0 * uv.y - 1.0) * up;
}

// Distance along `forward` for a value of the depth buffer (0-1).
float linear_depth(float depth) {
    return near_plane * far_plane / (far_plane - depth * (far_plane - near_plane));
}

// A mipmap level for textureLod: exactly the finest where a texel covers several pixels. A hundredth of the next one would cost
// software OpenGL a second look.
float mipmap(float detail) {
    return max(detail, 0.0);
}

// Mean square of the slopes that pixels so many texels wide do not show, of a texture with slopes and the mean of their squares. What
// slopes change by from texel to texel is seen; only their change within a pixel is not, whose square falls with that of its width.
float unresolved(vec3 slopes, float texels) {
    return min(texels * texels, 1.0) * max(slopes.z - dot(slopes.xy, slopes.xy), 0.0);
}

// Speed of the wind: where the model does not know its sea, that of a moderate breeze [m/s].
float wind_or_breeze() {
    return sea_known > 0.0 ? wind_speed : 7.0;
}

// Width of what one pixel covers at a distance [m].
float pixel_width(float far) {
    return far * pixel_angle;
}
