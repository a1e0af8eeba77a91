// The geometry buffer: material, displacement and depth of each pixel, drawn from the meshes before anything is shaded. Its textures are
// not interpolated: with one or two channels software OpenGL looks such a texel up twice as fast with textureLod as with texelFetch.
#include "view.glsl"

uniform sampler2D gbuffer;          // r material as in render/materials.py, gb sideways displacement of the water [m]
uniform sampler2D gbuffer_depth;    // value of the depth buffer, 0-1

// What the geometry buffer holds of this pixel.
vec4 gbuffer_here() {
    return textureLod(gbuffer, gl_FragCoord.xy / vec2(textureSize(gbuffer, 0)), 0.0);
}

// Sideways displacement of the water in this pixel [m].
vec2 displacement_here() {
    return gbuffer_here().gb;
}

// Value of the depth buffer in this pixel, 0-1; 1 if no mesh is seen there.
float depth_value_here() {
    return textureLod(gbuffer_depth, gl_FragCoord.xy / vec2(textureSize(gbuffer_depth, 0)), 0.0).r;
}

// World position of the surface in this pixel, which is at `uv` in the picture.
vec3 point_here(vec2 uv) {
    return eye + linear_depth(depth_value_here()) * picture_ray(uv);
}
