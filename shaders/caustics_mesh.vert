#version 330
// The caustics mesh: its nodes lie where refracted rays land. Each triangle carries the light that entered within it. Where bodies
// may be near, it is drawn by a program of its own (BODIES), which costs ten times as much: clipping divides the mesh. A third
// one (ON_BODIES) draws what falls on bodies. In one mesh triangles would reach from a body to the ground behind it, and teeth of
// light from the edge of its shadow into it.
#if BODIES
#include "view.glsl"
#endif

uniform sampler2D green_source;
uniform sampler2D share;
uniform vec2 map_size;  // of the caustic map [texels]

out vec2 source;        // where the light entered [texels of the map]
out float light;
#if BODIES
out vec2 place_here;
out vec2 heights_here;
#endif

void main() {
    int across = textureSize(share, 0).x;
    ivec2 node = ivec2(gl_VertexID % across, gl_VertexID / across);
    vec4 green = texelFetch(green_source, node, 0);
    vec2 place = green.xy;
    source = green.zw * map_size;
    vec4 carried = texelFetch(share, node, 0);
    light = carried.r;
#if BODIES
    place_here = place;
    heights_here = carried.gb;
#if ON_BODIES
    gl_ClipDistance[0] = carried.a - 1.5;
    vec2 entered = green.zw - refracted_sun.xz / refracted_sun.y * (carried.g - water_level) * caustic_scale;
    place = mix(entered, place, clamp(carried.a - 2.0, 0.0, 1.0));
#else
    gl_ClipDistance[0] = min(carried.a, 1.0) - 0.5;
#endif
#else
    gl_ClipDistance[0] = 0.5 - min(carried.a, 1.0);     // at the middle of an edge, where both programs round alike
#endif
    // Triangles in the shade lie before the near plane, where they cost nothing; one with a lit corner loses a millionth.
    gl_Position = vec4(2.0 * place - 1.0, light > 0.0 ? 0.0 : -1.000001, 1.0);
}
