#version 330
// The sky with a layer of clouds in it, as a map like the clear one; alpha is the share of light that passes the clouds.
#include "sky.glsl"

uniform sampler2D depths;   // vertical optical depth of the layer, one tile of it
uniform vec3 sunlight;      // irradiance at the layer's height
uniform vec3 air;           // vertical optical depth of the air below it
uniform vec3 around;        // irradiance over pi of the clear sky
uniform vec2 begin;         // place in the tile over the scene's origin, 0-1
uniform float tile;         // side of the tile, in units of the layer's height
uniform float earth;        // radius of the earth, in units of the layer's height
uniform vec3 diffusion;     // as in waterview/render/clouds.py
uniform float whole;
uniform float sides;
uniform vec3 below;         // mean radiance of the layer from below
uniform float lit;          // share of the air below that the sun lights

in vec2 uv;
out vec4 colour;

const int STEPS = 4;
const float DEEP = 0.5;     // from the layer's lowest to its highest parts, in units of its height

float depth_at(vec2 place, float level) {
    return textureLod(depths, begin + place / tile, mipmap(level)).r;
}

// As in waterview/render/clouds.py.
float evenness(float sine) {
    return 1.0 + whole * (3.0 / 7.0 * (1.0 + 2.0 * sine) - 1.0);
}

void main() {
    vec3 ray = sky_direction(uv);
    vec3 clear = textureLod(sky_map, uv, 0.0).rgb;
    // The layer is curved as the earth is: towards the horizon it ends at a distance.
    float path = (2.0 * earth + 1.0) / (earth * ray.y + sqrt(earth * earth * ray.y * ray.y + 2.0 * earth + 1.0));
    vec2 place = path * ray.xz;
    float texels = float(textureSize(depths, 0).x) / tile;
    float level = log2(texels * path * 2.0 * dFdx(uv.x) * inversesqrt(max(ray.y, 1.0 / path))) + 0.7;
    float depth = depth_at(place, level);
    // Sunlight on its way through the clouds to here. A low sun shines below them, so not all of a long way counts.
    vec2 along = towards_sun.xz / max(towards_sun.y, 0.25);
    float shade = 0.0;
    for (int i = 0; i < STEPS; ++i) {
        float share = (float(i) + 0.5) / float(STEPS);
        shade += depth_at(place + DEEP * share * share * 1.5 * along, level + share) / float(STEPS);
    }
    float mu = dot(ray, towards_sun);
    float phase = 0.36 / (4.0 * PI) * pow(1.64 - 1.6 * mu, -1.5) + 0.02;  // Henyey and Greenstein's, g = 0.8
    float facing = mix(sides, 1.0, towards_sun.y) / PI;
    // What is scattered once shines at thin edges around the sun; the rest finds its way through as two streams.
    vec3 light = sunlight * (facing / (1.0 + diffusion * (0.4 * depth + 0.6 * shade)) + phase * depth * exp(-0.6 * depth - 0.4 * shade));
    light += around / (1.0 + diffusion * depth);
    light *= evenness(ray.y);
    float slant = 1.0 / max(ray.y, 0.35);
    float passes = exp(-depth * slant);
    // The air before the clouds shines like the sky there where the sun reaches it. Besides, clouds light it: haze scatters
    // forwards, so a level ray gets the light of the half above it and a steep one nearly all (Henyey and Greenstein, g = 0.78).
    vec3 veil = lit * clear + (0.5 + 0.45 * ray.y / (ray.y + 0.2)) * evenness(0.25 + 0.75 * ray.y) * below;
    colour = vec4(mix(veil, mix(light, clear, passes), exp(-air * path)), passes);
}
