// Slopes and foam of the water, filtered to the size of a pixel.
#include "ripples.glsl"

uniform sampler2D waves;    // rg slopes of the normal along x and z, b the mean of their squares, a foam

struct Waves {
    vec2 slope;     // of the normal: (x, 1, z) points upwards
    float spread;   // mean square of the slopes too fine to resolve
    float foam;     // 0-1
};

// The waves of the map at the grid's xz, seen by pixels that are `width` metres wide there.
Waves mapped_waves(vec2 xz, float width) {
    float texels = width / grid_spacing * grid_texel.x * float(textureSize(waves, 0).x);
    vec4 here = textureLod(waves, field_uv(xz), mipmap(log2(texels)));
    return Waves(here.rg, unresolved(here.rgb, texels), min(here.a, 1.0));
}

// The same with waves too fine for the map.
Waves with_ripples(Waves here, vec2 xz, float width) {
#if !POOL || DETAIL
    vec3 fine = ripples(xz, width);
    here.slope += fine.rg;
    here.spread += fine.z;
#endif
    return here;
}

// The waves at the grid's xz, seen by pixels that are `width` metres wide there.
Waves waves_at(vec2 xz, float width) {
    return with_ripples(mapped_waves(xz, width), xz, width);
}

// Share of the foam that is left where the water is so deep [m]: it runs out with the water that carries it, or it would end at the
// polygons where the surface meets the ground.
float foam_carried(float depth) {
    return smoothstep(0.0, 0.02 * mean_depth + 0.001 * extent, depth);
}
