// The look of foam: a pattern of bubbles that gets holes where foam is thin, and water that bubbles below it make
// milky. How foam moves is in foam_motion.glsl.
#include "block.glsl"
#include "light.glsl"
#include "noise.glsl"

uniform sampler2D foam_pattern;     // r density at which foam covers a place, 0-1; gb its slopes per tile

const mat2 TURN = mat2(0.848, 0.530, -0.530, 0.848);
const float CONTRAST = 1.9;         // of the pattern: layers that lie on each other even it out
const float RELIEF = 0.056;         // slope of bubbles for each of the pattern's
const float OPAQUE = 4.0;           // optical depth of the thickest foam, less the light that goes on forwards in it
const float UNEVEN = 8.0;           // so that foam looks as bright where its pattern is smaller than pixels
const float WHITEST = 0.88;         // albedo of foam that hides all that is below it
const float BETWEEN = 0.15;         // optical depth, for green light, of its way among the densest bubbles before it turns back
const float DRAINED = 1.4;          // power of the density with which holes open: what is left of old foam is lace, no veil
const float SHARPEST = 0.03;        // half of what the pattern's values change by across the edge of a hole
const float RIM = 0.5;              // thickness that a hole leaves at its edge, where its film of bubbles has gathered
const float RIM_WIDTH = 0.12;       // how far from the edge, in the pattern's values
const float EDDY = 8.0;             // how often the noise that moves foam about repeats within `grain_extent`: its eddies are wider than cells
const float STRETCHED = 0.014;      // share of its sides by which a value of 1 moves foam: its slopes make cells a third longer here, shorter there
const float PATCHY = 0.8;           // how often eddies halve the logarithm of foam's density, for a value of 1 (deviation 0.5), or double it
const int DRAWN_OUT = 2;            // layers that the wind draws out: finer holes stay as round as films tear
const float MILKY = 0.9;            // share of what lies below them that they hide
const float TERMINATOR = 0.33;      // how far light that foam passes on blurs the edge of shade: a share of the squared height of the sun
const float ASIDE = 0.4;            // share of the sunlight that bubbly water has from beside it in the shadow of a body

const float FAINTEST = 0.01;        // density of foam that is seen: thinner foam sends back less than two ten-thousandths of the light

// Layers of the pattern, from coarse to fine: how often each repeats within `grain_extent`, where it begins, and its weight in foam
// that is old or young.
const vec4 SCALES = vec4(9.1, 31.7, 107.3, 363.1);
const vec4 BEGINS = vec4(0.0, 0.31, 0.77, 0.13);
#if FINE
const int LAYERS = 4;
const vec4 OLD = vec4(0.6, 0.24, 0.1, 0.06);        // bubbles merge: cells of old foam are large, and its threads whole
const vec4 YOUNG = vec4(0.3, 0.28, 0.24, 0.18);     // coarse holes stay holes, or foam is a smear from a few metres on
#else
const int LAYERS = 2;
const vec4 OLD = vec4(0.6, 0.4, 0.0, 0.0);
const vec4 YOUNG = vec4(0.5, 0.5, 0.0, 0.0);
#endif

struct Foam {
    float share;    // of the light that falls on it, of which foam that hides everything sends back WHITEST
    float sky;      // share of the sky that it sees
    float bubbles;  // share of those below the thickest foam, 0-1
    vec2 slope;     // of its normal, as in `Waves`: (x, 1, z)
};

// Width of a pixel's footprint on foam `far` metres away [m], seen down at an angle of this sine: the mean of its
// length and its width. Foam does not glitter, so it may be sharper than slopes are (`water_footprint`).
float foam_footprint(float far, float sine) {
    return pixel_width(far) * inversesqrt(max(sine, 0.03));
}

#if WIND
const float ROWS = 2.0;         // as PATCHY, for rows along a gale
const vec2 ROW_TILE = vec2(900.0, 50.0); // sides of the tile of noise that they follow [m of sea]: rows are 14 m apart and less
const float MEANDER = 0.13;     // share of the eddies' tile by which a value of 1 pushes them aside

// Share to which the wind draws foam out: Beaufort's scale has first streaks at 7, 14 m/s, and a sea white with them at
// 10, 25 m/s.
float blown() {
    return smoothstep(13.0, 25.0, wind_speed);
}
#endif

// Foam of density `dense` (0-1) at a place. Pixels are `width` metres wide.
Foam foam_at(vec2 xz, float dense, float width) {
    vec2 still = xz / grain_extent, at = still;
#if WIND
    // Eddies, bubbles and holes are up to 4.3 times as long along the wind as across it.
    float shorter = blown() / (blown() + 0.3);
    at -= shorter * dot(at, downwind) * downwind;
#endif
    // Eddies stretch foam here and squeeze it there, and gather it in patches: its cells are of other sizes and shapes from place to place.
    vec4 eddies = textureLod(noise, EDDY * at, max(noise_detail(width) + log2(EDDY), 3.0));
    still += STRETCHED / EDDY * eddies.xw;
    at += STRETCHED / EDDY * eddies.xw;
    float gathered = PATCHY * eddies.w;
#if WIND
    // Rows draw in foam from beside them, more of what is old: fresh foam is dense anyway. They meander, and are of all widths.
    vec2 row = vec2(dot(xz, downwind), downwind.x * xz.y - downwind.y * xz.x + MEANDER / EDDY * grain_extent * eddies.x);
    row /= sea_scale * ROW_TILE;
    gathered += blown() * ROWS * textureLod(noise, row, mipmap(log2(256.0 / ROW_TILE.y * width / sea_scale))).x;
#endif
    // Where there is hardly any, none is gathered, and what covers everything stays so. Bubbles in the water stay where they are.
    float fresh = dense;
    dense = pow(dense, exp2(-gathered * smoothstep(FAINTEST, 0.1, dense)));
    // Each size of hole takes its part of what is open, wherever the others lie, so foam is a lace whose threads have holes. A sum of all
    // sizes would be a cloud without cells.
    vec4 weights = mix(OLD, YOUNG, smoothstep(0.2, 0.8, dense));
    float filled = DRAINED * log2(max(dense, 1e-4));
    vec4 levels = noise_detail(width) + vec4(3.2, 5.0, 6.7, 8.5);
    vec3 pattern = vec3(0.0);
    float cover = 1.0;
    float rims = 0.0;
    float torn = 0.0;   // how far finer holes tear the edges of coarser ones, -1 to 1, 0 in the mean
    // Layers are rotated against each other, too, so that the pattern does not repeat visibly. In a loop, software OpenGL looks up a
    // single one where no foam is seen; with LAYERS as its beginning, Mesa would unroll it and look up all.
    int layer = dense > FAINTEST ? LAYERS - 1 : 0;
    do {
        mat2 turn = layer == 0 ? TURN : layer == 1 ? mat2(1.0) : mat2(0.0, 1.0, 1.0, 0.0);
        vec2 place = SCALES[layer] * (turn * (layer < DRAWN_OUT ? at : still)) + BEGINS[layer];
        vec3 found = textureLod(foam_pattern, place, mipmap(levels[layer])).rgb;
        found.yz *= turn;   // back again
#if WIND
        if (layer < DRAWN_OUT) found.yz -= shorter * dot(found.yz, downwind) * downwind;
#endif
        // Young foam is heaps of bubbles with clefts between them, old foam threads around holes: the same cells, turned inside out. On
        // the way from one to the other they vanish, so it is short.
        if (layer == 1) found = mix(found, vec3(1.0 - found.x, -found.yz), smoothstep(0.66, 0.76, dense));
        float inside = 1.0 - (1.0 - exp2(filled * weights[layer])) * (1.0 + torn) - found.x;
        // A mipmap holds the mean of a pixel's values, which are spread evenly as far on both sides of it.
        float spread = mix(SHARPEST, 0.5, smoothstep(-1.0, 5.0, levels[layer]));
        cover *= clamp(0.5 + 0.5 * inside / spread, 0.0, 1.0);
        rims += RIM * weights[layer] * max(1.0 - abs(inside) / (RIM_WIDTH + spread), 0.0);
        torn = mix(torn, 2.0 * found.x - 1.0, 0.6);
        pattern += weights[layer] * found;
    } while (--layer >= 0);
    pattern = CONTRAST * pattern - vec3(0.5 * CONTRAST - 0.5, 0.0, 0.0);
    // How far foam stands above its thinnest places, as the mean over a pixel: mipmaps have lost a part of the pattern's variance, that of
    // values spread evenly over 0-1.
    float lost = CONTRAST * CONTRAST / 12.0 * dot(weights * weights, smoothstep(0.0, 6.0, levels));
    float over = 0.92 * dense - pattern.x;
    float thick = 0.25 * dense + 0.45 * (over + sqrt(over * over + 0.64 * lost)) + rims;
    // Foam drains and its bubbles burst: old foam is thin even where it covers. What a layer sends back that loses no
    // light, of two streams up and down in it, is depth / (1 + depth). Thick and thin places together send back less
    // than their mean would.
    float depth = OPAQUE * dense * thick;
    float share = cover * depth / (1.0 + depth + UNEVEN * lost) * smoothstep(0.0, 0.3, dense);
    // Clefts see less of the sky, but also foam beside them that is as white as they are. In young foam, which stands high, that is no
    // whiter than its thickness makes it, so its heaps stand out under clouds, too.
    float sky = clamp(1.3 - 1.5 * pattern.x, 0.2, 1.0);
    sky /= 1.0 - WHITEST * mix(1.0, share, smoothstep(0.7, 0.9, dense)) * (1.0 - sky);
    // Bubbles of all sizes are as steep. Foam is low where the pattern is high. Mipmaps average the slopes away. Under
    // a low sun bubbles stand in each other's shadow.
    float steep = RELIEF * min(2.0 * towards_sun.y, 1.0);
    // Fewer bubbles are below the middle of holes, and none below old foam: they rise within seconds.
    float bubbles = fresh * clamp(0.9 + 0.4 * over, 0.0, 1.0);
    return Foam(share, sky, bubbles, steep * pattern.yz);
}

const float RUN_UP = 0.4;   // of waves that lap at a beach, in their heights: 0.3 to 0.5 for slopes of 5 to 12 % (Stockdon et al. 2006)
const float STEEP = 0.04;   // their height over their length: that of a wind sea
const float CRESTS = 14.0;  // side of the tile of noise, in their lengths: its broad features, their crests, are some three lengths long
const float LACE = 0.45;    // density of the foam that runs back with the water

// Density of the foam where short waves lap at a beach, in water of a depth [m]. `bare` becomes the depth of the ground that they have left
// bare for now. They run up by turns along the shore, at most nearly to the edge of still water: that of the mesh does not show.
float surf(vec2 xz, float depth, float width, out float bare) {
    float high = lapping_height();
    float side = CRESTS / STEEP * high + 1e-6;
    float run = 3.0 * time * sqrt(GRAVITY / (2.0 * PI * CRESTS * side));    // three of their lengths in a period
    float level = mipmap(max(log2(256.0 * width / side), 3.0));
    vec2 now = textureLod(noise, xz / side + vec2(run, 0.3 * run), level).xy;
    bare = RUN_UP * high * (1.15 - clamp(0.5 + 0.85 * now.x, 0.0, 1.0));
    // Foam is dense at the front of water that runs up, and ends where waves begin to break. A pixel shows a range of depths; where that is
    // larger, foam is spread over it, or the line would be a row of beads.
    float deep = surf_depth() + max(0.1 * width, fwidth(depth));
    float inside = (depth - bare) / deep;
    float young = mix(LACE, 1.0, smoothstep(-4.0, 4.0, now.y));
    return surf_depth() / deep * young * smoothstep(-0.02, 0.03, inside) * clamp(1.0 - inside * inside, 0.0, 1.0);
}

// Light of foam or bubbles, as `lit_above`. What falls on their lit side goes on inside them and comes out of the other side, too: no edge
// of shade is hard. Level foam has the light that falls on it.
vec3 lit_foam(vec3 normal, vec3 albedo, float sun_seen, float sky_seen) {
    float cosine = dot(normal, towards_sun);
    float lit = (cosine + sqrt(cosine * cosine + TERMINATOR * towards_sun.y * towards_sun.y)) / (1.0 + sqrt(1.0 + TERMINATOR));
    return albedo * (sun_light * (lit * sun_seen / PI) + sky_on(normal) * sky_seen);
}

// Light of the water under foam, which breaking waves fill with bubbles. The fewer they are, the longer is the way of the light that they
// turn back, and the deeper is its hue.
vec3 with_bubbles(vec3 below, float bubbles, vec3 normal, float sun_seen) {
    vec3 colour = exp(-BETWEEN / (absorption.g * (bubbles + 0.01)) * absorption);
    return mix(below, lit_foam(normal, 0.8 * colour, sun_seen, 1.0), MILKY * bubbles * bubbles);
}

// Light of the water with foam on it, of which so much is left where the water runs out.
vec3 foam_over(vec3 water, Foam foam, float left, vec3 normal, float sun_seen) {
    // Not of length 1: what a slope catches more than level foam counts for its larger area, and the mean stays as it is where
    // bubbles are smaller than pixels.
    vec3 bumpy = normal + vec3(foam.slope.x, 0.0, foam.slope.y);
    return mix(water, lit_foam(bumpy, vec3(WHITEST), sun_seen, foam.sky), left * foam.share);
}
