#version 330
// The sky with a layer of clouds in it, as a map like the clear one; alpha is the share of sunlight that passes the clouds on its way
// to where they are seen, at the height of their bases. With SHADE, first, what the layer's tile needs for that.
#include "sky.glsl"

uniform float tile;         // side of the tile, in units of the layer's height

in vec2 uv;
out vec4 colour;

const float DEEP = 0.45;    // from the clouds' level bases to their highest tops, in units of the height of the bases
const float LOWEST = 0.25;  // sine of the height above the horizon, from where on the sun and the eye see no more of their sides

#if SHADE
uniform sampler2D thickness;    // in units of `DEEP`; its square is the optical depth over the deepest

const int STEPS = 8;

// r thickness, gb roots of the optical depth towards the sun over the deepest, counted vertically, from the base and from the top.
void main() {
    float here = textureLod(thickness, uv, 0.0).r;
    vec2 along = DEEP / (max(towards_sun.y, LOWEST) * tile) * towards_sun.xz;
    vec2 shade = vec2(0.0);
    for (int i = 0; i < STEPS; ++i) {
        float higher = (float(i) + 0.5) / float(STEPS);
        float there = textureLod(thickness, uv + higher * along, 1.0).r;
        shade += there * clamp(float(STEPS) * (there - vec2(0.0, 0.9 * here) - higher) + 0.5, 0.0, 1.0) / float(STEPS);
    }
    colour = vec4(here, sqrt(shade), 1.0);
}
#else
uniform sampler2D clouds;   // what SHADE has written
uniform float deepest;      // largest vertical optical depth of the layer
uniform vec3 sunlight;      // irradiance at the layer's height
uniform vec3 air;           // vertical optical depth of the air below it
uniform vec3 around;        // irradiance over pi of the clear sky
uniform vec2 begin;         // place in the tile over the scene's origin, 0-1
uniform float earth;        // radius of the earth, in units of the layer's height
uniform vec3 diffusion;     // as in waterview/render/clouds.py
uniform float whole;
uniform float sides;
uniform vec3 below;         // mean radiance of the layer from below
uniform float lit;          // share of the air below that the sun lights
uniform int steps;          // through the layer

const float WHIRL = 0.04;   // Columns of cloud are bent to helices of this radius, so that their sides bulge like cauliflower.
const float TURNS = 12.6;   // angle of a helix from the base to the highest top [rad]

// As in waterview/render/clouds.py.
float evenness(float sine) {
    return 1.0 + whole * (3.0 / 7.0 * (1.0 + 2.0 * sine) - 1.0);
}

// Way along a ray that rises by this sine until it is so high, over the curved earth: towards the horizon the layer ends.
float way_to(float sine, float height) {
    float above = (2.0 * earth + height) * height;
    return above / (earth * sine + sqrt(earth * earth * sine * sine + above));
}

void main() {
    vec3 ray = sky_direction(uv);
    vec3 clear = textureLod(sky_map, uv, 0.0).rgb;
    float path = way_to(ray.y, 1.0);
    float texel = 2.0 * dFdx(uv.x) * path;  // of this map, across the ray; along the base it is as much longer as the ray is low
    float level = mipmap(log2(float(textureSize(clouds, 0).x) / tile * texel / max(ray.y, LOWEST)) + 0.7);
    float mu = dot(ray, towards_sun);
    float phase = 0.36 / (4.0 * PI) * pow(1.64 - 1.6 * mu, -1.5) + 0.02;  // Henyey and Greenstein's, g = 0.8
    // Through the layer from its base up. The lower a ray, the further a step: it is no longer than `LOWEST` asks for, or steps would
    // miss whole clouds.
    float slant = deepest / (float(steps) * max(ray.y, 0.35)), passes = 1.0;
    vec2 begins = begin + path / tile * ray.xz;
    vec2 on = min(1.0, ray.y / LOWEST) * (way_to(ray.y, 1.0 + DEEP) - path) / tile * ray.xz;
    float soft = max(1.0 / float(steps), 2.0 * texel / DEEP);   // tops finer than a step or a texel would be stairs
    vec2 met = vec2(0.0);   // means over what is seen: optical depth above it and towards the sun, over the deepest
    for (int i = 0; i < steps && passes > 0.01; ++i) {      // until nothing behind is seen
        float high = (float(i) + 0.5) / float(steps);
        vec2 whirl = WHIRL / tile * vec2(sin(TURNS * high), 1.0 - cos(TURNS * high));
        vec3 cloud = textureLod(clouds, begins + high * on + whirl, level).rgb;
        float left = passes * exp(-slant * cloud.r * clamp((cloud.r - high) / soft + 0.5, 0.0, 1.0));
        vec3 squares = cloud * cloud;
        float share = min(high / max(cloud.r, 1e-2), 1.0);
        met += (passes - left) * vec2(squares.r * (1.0 - share), mix(squares.g, squares.b, share));
        passes = left;
    }
    met *= deepest / max(1.0 - passes, 1e-4);
    // What is scattered once shines at thin edges around the sun; the rest finds its way through as two streams. A side that the
    // sun reaches faces it better than a level base, though not all of it does. As most light is scattered forwards and goes on, less of
    // it is lost on the way than would be on a straight line.
    float reached = exp(-0.8 * met.y);
    float facing = mix(mix(sides, 1.0, towards_sun.y), 0.7, (1.0 - whole) * reached) / PI;
    vec3 light = sunlight * (facing / (1.0 + diffusion * (0.4 * met.x + 0.6 * met.y)) + phase * reached);
    light += around / (1.0 + diffusion * met.x);
    light = mix(light * evenness(ray.y), clear, passes);
    // The air before the clouds shines like the sky there where the sun reaches it. Besides, clouds light it: haze scatters
    // forwards, so a level ray gets the light of the half above it and a steep one nearly all (Henyey and Greenstein, g = 0.78).
    vec3 veil = lit * clear + (0.5 + 0.45 * ray.y / (ray.y + 0.2)) * evenness(0.25 + 0.75 * ray.y) * below;
    float towards = textureLod(clouds, begins, level).g;
    colour = vec4(mix(veil, light, exp(-air * path)), exp(-deepest * towards * towards / max(towards_sun.y, LOWEST)));
}
#endif
