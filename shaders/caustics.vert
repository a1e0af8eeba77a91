#version 330
// A mesh of sunlight: its nodes lie where the light lands; every triangle carries what entered the water within it.

uniform sampler2D red_green;
uniform sampler2D blue_source;
uniform sampler2D share;
uniform int colour;     // 0 red, 1 green, 2 blue
uniform vec2 map_size;  // [texels]

out vec2 source;        // where the light entered [texels of the map]
out float light;

void main() {
    int across = textureSize(share, 0).x;
    ivec2 node = ivec2(gl_VertexID % across, gl_VertexID / across);
    vec4 two = texelFetch(red_green, node, 0);
    vec4 third = texelFetch(blue_source, node, 0);
    vec2 place = colour == 0 ? two.xy : colour == 1 ? two.zw : third.xy;
    source = third.zw * map_size;
    light = texelFetch(share, node, 0).r;
    gl_Position = vec4(2.0 * place - 1.0, 0.0, 1.0);
}
