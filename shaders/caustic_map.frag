#version 330
// The finished caustic map: filtered sunlight, rgb on the ground and a on floating bodies.

const float GREEN_PLACE = 4.0 / 9.0;    // of green on the way from red to blue, by the indices in caustics_rays.frag

// r light on the ground; with DISPERSION g what thin triangles are brighter than FOCUSED (caustics_mesh.frag), ba light times the way from
// blue to red
uniform sampler2D caustics;
#if DISPERSION
uniform sampler2D mipmaps;  // the same, with coarser levels
#endif
#if BODIES
uniform sampler2D on_bodies;    // r light on bodies
#endif
uniform sampler2D before;       // the light of the picture before, as `alone`; not interpolated
uniform float before_share;     // how much of it is seen

in vec2 uv;
layout(location = 0) out vec4 map;
layout(location = 1) out vec4 alone;    // the light of this moment

const float ASIDE = 0.7;    // of the four places that are filtered over [texels]
const float WIDE = 2.4;     // of those that light of thin triangles is filtered over [texels]

vec2 aside(int i) {
    return vec2(2 * (i & 1) - 1, (i & 2) - 1) / vec2(textureSize(caustics, 0));
}

void main() {
    // Where light focuses, triangles are thinner than texels and hit their centres by chance: the filter evens that out.
    vec2 texels = vec2(textureSize(caustics, 0));
    vec4 ground;
    for (int i = 0; i < 4; ++i) ground[i] = textureLod(caustics, uv + ASIDE * aside(i), 0.0).r;
    alone = vec4(vec3(dot(ground, vec4(0.25))), 0.0);
#if BODIES
    for (int i = 0; i < 4; ++i) alone.a += 0.25 * textureLod(on_bodies, uv + ASIDE * aside(i), 0.0).r;
#endif
#if DISPERSION
    vec4 around = textureLod(mipmaps, uv, 2.0);
    // Red and blue light make the same picture as green, moved by as much as they land apart in the mean around: the four places
    // weigh more or less. Meshes of their own would hit texels by chance, differently for each colour, like confetti.
    vec2 parted = around.ba / (around.r + around.g + 1e-3) * texels / ASIDE;
    vec2 red = 0.5 - 0.5 * clamp(GREEN_PLACE * parted, -1.0, 1.0);
    vec2 blue = 0.5 + 0.5 * clamp((1.0 - GREEN_PLACE) * parted, -1.0, 1.0);
    alone.r = mix(mix(ground.x, ground.y, red.x), mix(ground.z, ground.w, red.x), red.y);
    alone.b = mix(mix(ground.x, ground.y, blue.x), mix(ground.z, ground.w, blue.x), blue.y);
    // The thinnest are so bright where they hit that a bright line would still look like a row of beads. What they have too much
    // is spread over as many texels as a line needs to be hit evenly. Where there is none, software computes one turn of the
    // loop, and would compute all four in an `if`.
    int looks = around.g > 0.0 ? 4 : 0;
    for (int i = 0; i < looks; ++i) alone.rgb += 0.25 * textureLod(mipmaps, uv + WIDE * aside(i), 2.0).g;
#endif
    map = before_share > 0.0 ? mix(alone, textureLod(before, uv, 0.0), before_share) : alone;
}
