// What the meshes leave for the passes that shade: the kind of surface in each pixel, and its distance.
#include "view.glsl"

uniform sampler2D marks;    // r kind as in render/kinds.py, gb how far choppy water has moved sideways [m]
uniform sampler2D depths;

vec4 mark_here() {
    return texelFetch(marks, ivec2(gl_FragCoord.xy), 0);
}

// Distance along `forward` of what is seen in this pixel [m].
float depth_here() {
    return linear_depth(texelFetch(depths, ivec2(gl_FragCoord.xy), 0).r);
}

// What is seen in this pixel, at `uv` in the picture.
vec3 point_here(vec2 uv) {
    return eye.xyz + depth_here() * picture_ray(uv);
}
