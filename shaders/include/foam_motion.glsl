// Foam as it is born in breaking waves and carried by the surface (waves.frag). How it looks is in foam.glsl.
#include "view.glsl"

const float DRIFT_DECAY = 1.5;  // time in which the motion that waves leave at the surface falls to a third [s]
const float SPREAD = 1.0;       // of foam in a second [texels]

// Density (0-1) of the foam of breaking waves. Along the shore a wave breaks when its crest is about as high as the water is
// deep (McCowan 1894: 0.78). Steep waves anywhere break into foam of density `from_steepness`.
float breaking_foam(float height, vec2 slope, float depth, float from_steepness) {
    float tilt = length(slope);
    float steep = from_steepness * smoothstep(0.42, 0.80, tilt);
    float crest = height / max(depth, 0.005 * mean_depth);
    float lively = smoothstep(0.004, 0.03, height / mean_depth) * smoothstep(0.02, 0.10, tilt);
    return max(steep, lively * step(0.0, depth + height) * smoothstep(0.45, 1.0, crest));
}

// Velocity of the surface `elapsed` seconds later [m/s]. Water accelerates down its slopes: forwards under crests, back under
// troughs.
vec2 foam_drift(vec2 drift, vec2 slope, float elapsed) {
    return (drift + GRAVITY * elapsed * slope) * exp(-elapsed / DRIFT_DECAY);
}

// Foam that the surface has carried to a place of the map of waves in the time `elapsed`. Foam spreads a little, as much in many
// short steps as in few long ones, and thin foam vanishes first: patches break up.
float carried_foam(sampler2D before, vec2 uv, vec2 drift, float elapsed) {
    vec2 from = uv - drift * (elapsed / grid_spacing) * grid_texel;
    vec2 aside = min(SPREAD * sqrt(elapsed), 0.6) / vec2(textureSize(before, 0));
    return 0.5 * (textureLod(before, from + aside, 0.0).a + textureLod(before, from - aside, 0.0).a);
}
