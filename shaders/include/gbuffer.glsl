// The geometry buffer: material, displacement and depth of each pixel, drawn from the meshes before anything is shaded.
#include "view.glsl"

uniform sampler2D gbuffer;          // r material as in render/materials.py, gb sideways displacement of the water [m]
uniform sampler2D gbuffer_depth;    // value of the depth buffer, 0-1

// Material of the surface in this pixel.
float material_here() {
    return texelFetch(gbuffer, ivec2(gl_FragCoord.xy), 0).r;
}

// Sideways displacement of the water in this pixel [m].
vec2 displacement_here() {
    return texelFetch(gbuffer, ivec2(gl_FragCoord.xy), 0).gb;
}

// Distance along `forward` of the surface in this pixel [m].
float depth_here() {
    return linear_depth(texelFetch(gbuffer_depth, ivec2(gl_FragCoord.xy), 0).r);
}

// World position of the surface in this pixel, which is at `uv` in the picture.
vec3 point_here(vec2 uv) {
    return eye + depth_here() * picture_ray(uv);
}
