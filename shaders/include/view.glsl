// What every shader is told about the moment; filled by waterview/render/view.py. All lengths in metres.

const float PI = 3.14159265;

layout(std140) uniform View {
    mat4 view_projection;  // world to clip space
    mat4 mirror_projection;  // world to clip space of the mirrored picture
    vec4 eye;              // xyz where the camera is, w simulated time [s]
    vec4 right;            // xyz half the picture's width at distance 1, w near
    vec4 up;               // xyz half the picture's height at distance 1, w far
    vec4 forward;          // xyz unit vector, w the scene's longer side
    vec4 sun;              // xyz unit vector towards the sun, w air mass on its way
    vec4 sun_light;        // rgb irradiance at the ground, w irradiance above the air
    vec4 rayleigh;         // rgb vertical optical depth of clear air
    vec4 haze;             // rgb vertical optical depth of haze
    vec4 sky_light[4];     // rgb light of sky and surroundings on a surface: its mean, and its change along x, y, z
    vec4 sunk;             // xyz unit vector of sunlight in still water, w share of sunlight that enters it
    vec4 lit_area;         // xy lowest x and z of the light map, zw one over its sides
    vec4 box_low;          // xyz lowest corner of the block, w height of still water
    vec4 box_high;         // xyz highest corner of ground and water, w how far water keeps inside the block
    vec4 grid;             // x distance of grid points, y height of the lowest ground, zw one over the points' number
    vec4 absorption;       // rgb in water [1/m], w mean depth of the water
    vec4 scatter;          // rgb share of light that deep water sends back, w angle that a pixel covers
    vec4 screen;           // xy size of the picture [pixels], zw one over it
    vec4 look;             // x side of the pool's tiles [m], y one over the length that detail repeats after, w height above the water where mirrored rays are looked up [m]
};

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
