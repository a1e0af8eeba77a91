#version 330
// The finished caustic map: filtered sunlight, rgb on the ground and a on floating bodies.

const float GREEN_PLACE = 4.0 / 9.0;    // of green on the way from red to blue, by the indices in caustics_rays.frag

// r light on the ground; with DISPERSION g what thin triangles are brighter than FOCUSED (caustics_mesh.frag). Not interpolated
uniform sampler2D caustics;
#if DISPERSION
uniform sampler2D mipmaps;      // the same, interpolated, with coarser levels
uniform sampler2D parted;       // from where blue light lands to where red light does, 0-1 over the map: a texel for each ray
#endif
#if BODIES
uniform sampler2D on_bodies;    // r light on bodies; not interpolated
#endif
uniform sampler2D before;       // the light of the picture before, as `alone`; not interpolated
uniform float before_share;     // how much of it is seen

in vec2 uv;
layout(location = 0) out vec4 map;
layout(location = 1) out vec4 alone;    // the light of this moment

const float ASIDE = 0.7;    // from the middle to the places that are filtered over [texels]
const float WIDE = 2.4;     // to those that light of thin triangles is filtered over [texels]

// Light of the texels around, a row in each column. With one or two channels software OpenGL looks up nine single texels sooner than
// four places between them.
mat3 texels_around(sampler2D light) {
    vec2 texel = 1.0 / vec2(textureSize(light, 0));
    mat3 around;
    for (int i = 0; i < 9; ++i) around[i / 3][i % 3] = textureLod(light, uv + texel * vec2(i % 3 - 1, i / 3 - 1), 0.0).r;
    return around;
}

// Weights of three texels in a mean of light ASIDE before the middle one and after it, of which so much is that after it.
vec3 weights(float after) {
    return vec3(ASIDE * (1.0 - after), 1.0 - ASIDE, ASIDE * after);
}

// The mean of four places, of which such shares are those on the right and those above.
float filtered(mat3 around, vec2 shares) {
    return dot(weights(shares.x) * around, weights(shares.y));
}

void main() {
    // Where light focuses, triangles are thinner than texels and hit their centres by chance: the filter evens that out.
    mat3 ground = texels_around(caustics);
    alone = vec4(vec3(filtered(ground, vec2(0.5))), 0.0);
#if BODIES
    alone.a = filtered(texels_around(on_bodies), vec2(0.5));
#endif
#if DISPERSION
    // Red and blue light make the same picture as green, moved by as much as the colours of the ray land apart that still water would
    // send here: the four places weigh more or less. Meshes of their own would hit texels by chance, differently for each colour, like
    // confetti.
    vec2 texels = vec2(textureSize(caustics, 0));
    vec2 rays = vec2(textureSize(parted, 0));
    vec2 blue_to_red = textureLod(parted, (uv * (rays - 1.0) + 0.5) / rays, 0.0).xy * texels / ASIDE;
    alone.r = filtered(ground, 0.5 - 0.5 * clamp(GREEN_PLACE * blue_to_red, -1.0, 1.0));
    alone.b = filtered(ground, 0.5 + 0.5 * clamp((1.0 - GREEN_PLACE) * blue_to_red, -1.0, 1.0));
    // The thinnest are so bright where they hit that a bright line would still look like a row of beads. What they have too much
    // is spread over as many texels as a line needs to be hit evenly, by four looks. A first one, at the middle, tells whether there is
    // any: where there is none, software OpenGL computes no more than that.
    float spread = 0.0;
    vec2 aside = vec2(0.0);
    int look = 0;
    bool found;
    do {
        float thin = textureLod(mipmaps, uv + aside, 2.0).g;
        spread += look > 0 ? 0.25 * thin : 0.0;
        found = look > 0 || thin > 0.0;
        aside = WIDE * vec2(2 * (look & 1) - 1, (look & 2) - 1) / texels;
    } while (found && ++look < 5);
    alone.rgb += spread;
#endif
    map = before_share > 0.0 ? mix(alone, textureLod(before, uv, 0.0), before_share) : alone;
}
