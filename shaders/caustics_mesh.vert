#version 330
// The caustics mesh: its nodes lie where refracted rays land. Each triangle carries the light that entered within it. Where bodies
// may be near, it is drawn by a program of its own (BODIES), which costs ten times as much: clipping divides the mesh.

uniform sampler2D green_source;
uniform sampler2D share;
#if DISPERSION
uniform sampler2D parted;   // from where blue light lands to where red light does, 0-1 over the map
#endif
uniform vec2 map_size;  // of the caustic map [texels]

out vec2 source;        // where the light entered [texels of the map]
out float light;
#if DISPERSION
out vec2 red_from_blue;
#endif
#if BODIES
out vec2 place_here;    // where it lands, 0-1 over the map
out vec2 heights_here;  // where it enters and lands [m]
#endif

void main() {
    int across = textureSize(share, 0).x;
    ivec2 node = ivec2(gl_VertexID % across, gl_VertexID / across);
    vec4 green = texelFetch(green_source, node, 0);
    vec2 place = green.xy;
#if DISPERSION
    red_from_blue = texelFetch(parted, node, 0).xy;
#endif
    source = green.zw * map_size;
    vec4 carried = texelFetch(share, node, 0);
    light = carried.r;
#if BODIES
    place_here = place;
    heights_here = carried.gb;
    gl_ClipDistance[0] = carried.a - 0.5;
#else
    gl_ClipDistance[0] = 0.5 - carried.a;
#endif
    gl_Position = vec4(2.0 * place - 1.0, 0.0, 1.0);
}
