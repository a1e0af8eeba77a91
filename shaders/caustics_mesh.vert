#version 330
// The caustics mesh: its nodes lie where refracted rays land. Each triangle carries the light that entered within it. Where
// light focuses, triangles become thinner than texels, or fold to lines: drawn so they would hit texels by chance, differently
// in each frame, and the picture would boil. They are widened, and their light is spread over what they then cover.

uniform sampler2D green_source;
uniform sampler2D share;
#if DISPERSION
uniform sampler2D parted;   // from where blue light lands to where red light does, 0-1 over the map
#endif
uniform vec2 map_size;  // of the caustic map [texels]

out float bright;       // light relative to that under still water
#if DISPERSION
out vec2 red_from_blue;
#endif
#if BODIES
out vec2 source;        // where the light entered [texels of the map]
out vec2 place_here;    // where it lands, 0-1 over the map
out vec2 heights_here;  // where it enters and lands [m]
#endif

const float NARROWEST = 1.5;    // width of a triangle [texels]

// An equilateral triangle 1 high, as a matrix from its own corners (0, 0), (1, 0), (0, 1), and that matrix's inverse.
const float SIDE = 1.15470054;
const mat2 EVEN = mat2(SIDE, 0.0, 0.5 * SIDE, 1.0);
const mat2 FROM_EVEN = mat2(1.0 / SIDE, 0.0, -0.5, 1.0);

mat2 turn(float angle) {
    return mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
}

// The matrix with both singular values (in closed form) at least `NARROWEST`; `area` becomes their product.
mat2 widened(mat2 shape, out float area) {
    vec2 even = 0.5 * vec2(shape[0].x + shape[1].y, shape[0].y - shape[1].x);
    vec2 odd = 0.5 * vec2(shape[0].x - shape[1].y, shape[0].y + shape[1].x);
    float one = length(even);
    float two = length(odd);
    vec2 wide = max(vec2(one + two, abs(one - two)), NARROWEST);
    area = wide.x * wide.y;
    float sum = one > 0.0 ? atan(even.y, even.x) : 0.0;
    float difference = two > 0.0 ? atan(odd.y, odd.x) : 0.0;
    mat2 stretch = mat2(wide.x, 0.0, 0.0, one < two ? -wide.y : wide.y);
    return turn(0.5 * (sum + difference)) * stretch * turn(0.5 * (sum - difference));
}

void main() {
    int across = textureSize(share, 0).x;
    int triangle = gl_VertexID / 3;
    int cell = triangle / 2;
    ivec2 first = ivec2(cell % (across - 1), cell / (across - 1)) + triangle % 2;
    ivec2 aside = ivec2(1 - 2 * (triangle % 2), 0);
    ivec2 nodes[3] = ivec2[3](first, first + aside, first + aside.yx);
    vec4 corners[3];
    for (int i = 0; i < 3; ++i) corners[i] = texelFetch(green_source, nodes[i], 0) * vec4(map_size, map_size);
    int corner = gl_VertexID % 3;
    ivec2 node = nodes[corner];
    mat2 entered = mat2(corners[1].zw - corners[0].zw, corners[2].zw - corners[0].zw);
    mat2 landed = mat2(corners[1].xy - corners[0].xy, corners[2].xy - corners[0].xy);
    float area;
    mat2 drawn = widened(landed * FROM_EVEN, area) * EVEN;
    vec2 middle = (corners[0].xy + corners[1].xy + corners[2].xy) / 3.0;
    vec2 place = middle + drawn * (vec2(corner == 1, corner == 2) - 1.0 / 3.0);
    bright = texelFetch(share, node, 0).r * abs(determinant(entered)) / (area * SIDE);
#if DISPERSION
    red_from_blue = texelFetch(parted, node, 0).xy;
#endif
#if BODIES
    source = corners[corner].zw;
    place_here = place / map_size;
    heights_here = texelFetch(share, node, 0).gb;
#endif
    gl_Position = vec4(2.0 * place / map_size - 1.0, 0.0, 1.0);
}
