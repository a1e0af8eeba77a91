#version 330
// The ground seen directly: baked maps or pool tiles, close-up grain finer than the maps, and a wet band along the shore.
#include "gbuffer.glsl"
#include "ground.glsl"
#include "ground_materials.glsl"
#include "noise.glsl"
#if UNDERWATER
#include "underwater.glsl"
#endif

in vec2 uv;
out vec4 colour;

#if !POOL
uniform sampler2D wet_ground;       // r share to which the ground is wet

// The directions from which grain is laid on the ground: the two of the three axes that meet it best (biplanar mapping,
// Quilez 2020). From above alone it would be smeared down steep slopes.
struct Sides {
    ivec2 axes;
    vec2 shares;    // their squares add up to 1, so that mixing leaves the contrast as it is
    int count;
};

Sides sides_of(vec3 facing) {
    vec3 met = facing * facing;
    met *= met;
    int first = met.y >= max(met.x, met.z) ? 1 : met.x > met.z ? 0 : 2;
    int second = first == 1 ? (met.x > met.z ? 0 : 2) : met.y > met[2 - first] ? 1 : 2 - first;
    // The second has no share where the third would take its place.
    vec2 shares = vec2(met[first], met[second]) - met[3 - first - second] + vec2(1e-6, 0.0);
    shares /= length(shares);
    return Sides(ivec2(first, second), shares, shares.y > 0.05 ? 2 : 1);
}

// One look at a tile of noise, at `point` in units of its side, from a side of the axes: x its value, yzw its gradient by tile.
vec4 laid_on_side(sampler2D tile, int axis, vec3 point, mat2 turn, float level) {
    vec2 flat_on = axis == 1 ? point.xz : axis == 0 ? point.zy : point.xy;
    vec3 found = textureLod(tile, turn * flat_on, level).xyz;
    vec2 slope = found.yz * turn;
    return vec4(found.x, axis == 1 ? vec3(slope.x, 0.0, slope.y) : axis == 0 ? vec3(0.0, slope.yx) : vec3(slope, 0.0));
}

uniform float wild;     // 1 for a landscape, 0 for a basin, on whose walls nothing grows

// Share of ground that algae cover, of which a share is rock, so far above the water.
float algae_on(float rock, float above) {
    return wild * rock * algae_at(-above);
}

// What they multiply the ground's colour by, which is their mean, where noise of mean 0 tells pale crusts from dark tufts.
vec3 crusts_and_tufts(float rock, float above, float noise) {
    return 1.0 + algae_on(rock, above) * (smoothstep(-0.25, 0.25, noise) - 0.5) * vec3(0.86, 0.66, 0.90);
}

// Sides of tiles in `grain_extent`.
const float GRAIN = 0.083, CRAG = 0.045, CROWN = 0.024, GRIT = 0.0171, DUST = 0.0037;
const float FINER = 4.6;    // times as short is the side of the next tile of finer grain

#if FINE
uniform sampler2D foam_pattern;     // used here for the crowns of trees

// Seen from these sides, a tile that measures `size` times `grain_extent`, from this mipmap level: x its value less its
// mean, yzw the gradient of that by tile.
vec4 laid_on(sampler2D tile, vec3 point, Sides sides, float size, mat2 turn, float level, float mean) {
    // Where a look is wider than a sixth of the tile, nothing is left of it. Software OpenGL computes one turn of a loop
    // that does not run, and all of what is in an `if`.
    int count = level < 5.5 ? sides.count : 0;
    point /= size * grain_extent;
    vec4 sum = vec4(0.0);
    for (int k = 0; k < count; ++k) {
        int axis = k == 0 ? sides.axes.x : sides.axes.y;
        vec4 found = laid_on_side(tile, axis, point, turn, mipmap(level)) - vec4(mean, 0.0, 0.0, 0.0);
        sum += (k == 0 ? sides.shares.x : sides.shares.y) * found;
    }
    return sum;
}

const mat2 TURN = mat2(0.8, 0.6, -0.6, 0.8);

#if GRAIN_RELIEF
// Mean colour of rock (ground_maps.frag).
const vec3 ROCK = vec3(0.225, 0.212, 0.195);

// The colour of ground of which a share is `rock` and the rest turf, and that share, with an edge between them: rock stands
// out of turf where `noise` of mean 0 is high. The baked maps know only a mean of the two, which changes over many metres.
vec3 parted(vec3 mixed, float noise, inout float rock) {
    float share = min(rock, 0.85);
    vec3 turf = max((mixed - share * ROCK) / (1.0 - share), 0.25 * mixed);
    float bare = smoothstep(0.25, 0.75, rock + 1.5 * rock * (1.0 - rock) * noise);
    bare = mix(rock, bare, smoothstep(0.04, 0.12, greenness(turf)));    // sand and snow have no edge
    vec3 colour = max(mixed + (bare - rock) * (ROCK - turf), 0.25 * mixed);
    rock = bare;
    return colour;
}

// Bumps of ground as the eye sees them. They have the form of grit.
struct Bumps {
    float towards;  // how far before the mesh the ray meets them [m]
    float high;     // how high they are there, as a share of what is high for rock, about -1 to 1
    vec3 slope;     // gradient of their height there
    float sun;      // share of the sunlight that reaches them past others
};

const float ROCK_RELIEF = 0.075, TURF_RELIEF = 0.009;
const float LEAST_FALL = 14.0;  // slope for which the way to bumps is shortened at least, for each unit of relief
const int STEPS = 4;

// How high bumps are, in sides of the tile of grit, where its noise is 1: rock lies in boulders and ledges, and turf has
// tussocks. Sand is flat.
float relief_of(vec3 albedo, float rock) {
    return TURF_RELIEF * smoothstep(0.04, 0.12, greenness(albedo)) + ROCK_RELIEF * rock;
}

// Where a ray first meets bumps on ground that faces `facing`, coming from above (Newton's steps, shortened where bumps do
// not fall away from the eye: parallax mapping with slopes, Premecz 2006). `along` is the part of the unit ray that runs
// along the ground; pixels are `width` metres wide. On a bank along which one looks, perspective presses flat ground to streaks
// like hair; bumps hide what lies behind them, and are seen from their sides.
Bumps bumps_at(vec3 point, vec3 ray, vec3 along, vec3 facing, float relief, float width) {
    float down = -dot(ray, facing);
    float slant = max(down, 0.08);
    // Ground before a crest is lower than the plane in which bumps are sought, and faces the eye more. Bumps there hide less.
    vec3 before = facing_at(point - along * (0.5 * relief * GRIT * grain_extent / slant), width);
    slant = max(slant, -dot(ray, before));
    // Seen from their sides, bumps may be finer than a pixel's footprint on flat ground is long. As fine as that is wide,
    // their tops would flicker.
    float level = noise_detail(2.0 * width / sqrt(slant)) - log2(GRIT);
    // From one side alone: the second would double the looks. Where sides change, an edge is seen only near the eye.
    int axis = facing.y > 0.5 ? 1 : abs(facing.x) > abs(facing.z) ? 0 : 2;
    float from_edge = min(abs(facing.y - 0.5), axis == 1 ? 1.0 : abs(abs(facing.x) - abs(facing.z)));
    // From above they hide nothing. Near the eye, where finer grain is seen, full relief would look like hammered metal, and rays
    // that graze the ground would meet it metres from where the next ones do.
    relief *= (1.0 - smoothstep(0.55, 0.8, slant)) * mix(smoothstep(0.0, 0.2, down), 1.0, smoothstep(2.0, 3.0, level));
    float near = 0.25 * smoothstep(0.0, 0.15, from_edge);
    relief *= (1.0 - smoothstep(3.0, 4.5, level)) * mix(near, 1.0, smoothstep(-0.5, 1.2, level));
    float carried = smoothstep(-2.0, -0.5, level);  // finer grain than theirs would be drawn out on bumps right before the eye
    level = max(floor(level) + 1.0, 2.0);   // a single look finds a whole level
    float highest = relief * GRIT * grain_extent;
    float towards = highest / slant;
    vec4 grit = vec4(0.0);
    int steps = relief > 1e-3 ? STEPS : 0;
    for (int i = 0; i < steps; ++i) {
        grit = laid_on_side(noise, axis, (point - along * towards) / (GRIT * grain_extent), TURN * TURN, level);
        float falling = relief * max(dot(grit.yzw, along), LEAST_FALL);
        towards -= (slant * towards - highest * grit.x) / (slant + falling);
    }
    // They are shaded a level coarser, or edges between light and shade would flicker.
    if (steps > 0) {
        grit = laid_on_side(noise, axis, (point - along * towards) / (GRIT * grain_extent), TURN * TURN, level + 1.0);
    }
    // Smith's shadowing, as under water. Bumps on ground that faces away from the sun lie in its shade.
    float cosine = max(dot(facing, towards_sun), 0.0);
    float low = 40.0 * relief * relief * (1.0 - cosine * cosine);
    float sun = 2.0 * cosine / (cosine + sqrt(cosine * cosine + low) + 1e-4);
    if (steps == 0) return Bumps(0.0, 0.0, vec3(0.0), 1.0);
    return Bumps(carried * towards, relief / ROCK_RELIEF * grit.x, relief * grit.yzw, sun);
}
#endif

#if UNDERWATER
// Share of the sunlight in water that reaches a bump with this normal past the others of ground that faces elsewhere:
// Smith's shadowing, for facets as steep as the bump (Conty Estevez et al. 2019). Without it, bumps on a face that the
// sun grazes are pale specks.
float past_bumps(vec3 facing, vec3 normal) {
    float bent = clamp(dot(facing, normal), 0.1, 1.0);
    float steep = 0.125 * (1.0 / (bent * bent) - 1.0);
    float cosine = clamp(SUN_ASIDE - dot(facing, refracted_sun), 0.0, 1.0);
    float low = 1.0 - cosine * cosine;
    return 2.0 * cosine / (cosine + sqrt(cosine * cosine + steep * low) + 1e-4);
}
#endif

// Adds close-up grain to colour, normal and share of rock. Returns noise of mean 0, for edges that should not be straight.
float add_grain(inout vec3 albedo, inout vec3 normal, inout float rock, vec3 point, Sides sides, float detail) {
    vec4 grain = laid_on(noise, point, sides, GRAIN, TURN, detail - log2(GRAIN), 0.0);
    vec4 grit = laid_on(noise, point, sides, GRIT, TURN * TURN, detail - log2(GRIT), 0.0);
    float level = detail - log2(DUST);
    // Tufts have more light and shade than grains of sand. Where texels cover several pixels they would be lumps, and where few pixels
    // cover the tile, it would be seen to repeat.
    float tufts = smoothstep(0.04, 0.12, greenness(albedo)) * (1.0 - rock);
    // The finest tile is about a metre long, however large the scene is.
    float finest = floor(log2(DUST * grain_extent) / log2(FINER) + 0.5);
    int layers = int(clamp(min(finest, (5.5 - level) / log2(FINER)), 0.0, 4.0));
    vec4 dust = vec4(0.0);
    float crown = 0.0;
    float joints = 0.0;
    float size = 1.0;
    int layer = 0;
    do {
        vec4 found = laid_on(noise, point, sides, DUST * size, TURN, level, 0.0);
        dust += found * (1.0 + 2.0 * tufts * smoothstep(-3.0, -0.5, level) * (1.0 - smoothstep(2.0, 4.0, level)));
        float border = max(laid_on(foam_pattern, point, sides, CROWN * size, TURN, level + log2(DUST / CROWN), 0.5).x, -0.5);
        joints += layer == 0 ? border : 0.6 * (1.0 - smoothstep(3.5, 5.5, level)) * border;
        if (layer == 0) crown = 0.5 + border;
        size /= FINER;
        level += log2(FINER);
    } while (++layer <= layers);
    normal = normalize(normal - (0.0020 + 0.002 * rock) * (grain + grit + dust).yzw);
#if DRAPE
    float wooded = 0.0;     // trees are in the aerial picture
#else
#if GRAIN_RELIEF
    albedo = parted(albedo, grain.x + grit.x, rock);
#endif
    float wooded = smoothstep(0.15, 0.45, 1.0 - albedo.r / albedo.g + 0.25 * grain.x);
#endif
    // The borders of the pattern's cells are the joints of rock.
    albedo *= max(1.0 + 0.15 * (grain.x + grit.x + dust.x), 0.2) * (1.0 + wooded * (1.1 * crown - 0.62 + 0.2 * grit.x));
    albedo *= max(1.0 + 0.7 * rock * joints, 0.3);
    albedo *= crusts_and_tufts(rock, point.y - water_level, grain.x + 0.6 * grit.x + 0.6 * dust.x);
    return grain.x + 0.6 * grit.x;
}
#endif
#endif

void main() {
    float edged = 1.0;
    vec3 point = point_here(uv);
    vec3 ray = point - eye;
    float far = length(ray);
    float width = pixel_width(far);
#if UNDERWATER && !POOL
    // The water of a pool is filtered: its tiles are sharp.
    width = width_through_water(width, uv, far);
#endif
#if FINE && !POOL
    vec3 facing = facing_at(point, width);
    Sides sides = sides_of(facing);
    float cosine = dot(facing, ray / far);
    float slant = max(-cosine, 0.08);
    vec3 below = point;     // of the mesh, under the relief that is seen
#if GRAIN_RELIEF
    vec4 flat_ground = textureLod(albedo_map, block_uv(point.xz), floor(mipmap(relief_detail(2.0 * width))));
    float relief = relief_of(flat_ground.rgb, flat_ground.a);
    vec3 along = ray / far - cosine * facing;
    Bumps bumps = bumps_at(point, ray / far, along, facing, relief, width);
    below -= along * bumps.towards;
    // Grain on the side of a bump that faces the eye is seen less aslant.
    slant = max(dot(normalize(facing - bumps.slope), -ray / far), slant);
#endif
    // A pixel covers a strip of ground. Grain as fine as the geometric mean of its sides flickers no more than if the picture were
    // supersampled; as coarse as its longer side, it would be streaks.
    float detail = noise_detail(1.4 * width / sqrt(slant));
    Ground ground = ground_in_detail(point, aslant(relief_detail(width), slant));
    float sun_past_ground = ground.sun;
#if GRAIN_RELIEF
    ground.normal = normalize(ground.normal - bumps.slope);
    ground.sun *= bumps.sun;
    ground.sky *= clamp(1.0 + 0.6 * bumps.high, 0.4, 1.5);      // hollows see less of the sky
#endif
#else
    Ground ground = ground_at(point, ray / far, width);
    float sun_past_ground = ground.sun;
#endif
    vec3 albedo = ground.albedo;
    vec3 normal = ground.normal;
    float above = point.y - water_level;
    go_under_clouds(point);
#if !POOL
    float edge = 0.0;
#if FINE
    edge = add_grain(albedo, normal, ground.rock, below, sides, detail);
    ground.sky *= clamp(1.0 + 0.8 * algae_on(ground.rock, above) * edge, 0.4, 1.0);    // pits see less of the light
#if UNDERWATER
    float sun_in_bumps = past_bumps(facing, normal);
#endif
#else
    // Grain near the eye, where the texels of the baked maps would be seen as blotches, and coarser grain on steep ground, where they
    // are drawn out to streaks.
    float texels = width * float(textureSize(relief_map, 0).x) / (box_high.x - box_low.x);
    float near = 1.0 - smoothstep(0.2, 0.5, texels);
    float crag = (1.0 - 0.6 * near) * (1.0 - smoothstep(0.45, 0.6, normal.y));
    if (near + crag > 0.0) {
        Sides sides = sides_of(normal);
        // The edge where sides change is seen near the eye alone: farther off, one side does.
        sides.shares = normalize(sides.shares * vec2(1.0, near));
        sides.count = sides.shares.y > 0.05 ? 2 : 1;
        float detail = noise_detail(width) - log2(GRIT);
        float aslant_detail = detail - 0.5 * log2(max(-dot(normal, ray / far), 0.03));
        // In large scenes finer layers follow where pixels show them, until a tile is about a metre long.
        float finest = floor(log2(GRIT * grain_extent) / log2(FINER) + 0.5);
        int last = near > 0.0 ? int(clamp(min(finest, (1.5 - aslant_detail) / log2(FINER)), 0.0, 4.0)) : -1;
        int layer = crag > 0.0 ? -1 : 0;
        int side = 0;
        vec4 grains = vec4(0.0);
        do {
            bool is_rough = layer < 0;
            float size = is_rough ? CRAG : GRIT * exp2(-log2(FINER) * float(layer));
            float level = is_rough ? aslant_detail - log2(CRAG / GRIT) : layer == 0 ? detail : aslant_detail + log2(FINER) * float(layer);
            float amount = is_rough ? crag : layer == 0 ? near : near * (1.0 - smoothstep(0.0, 1.5, level));
            vec3 at = point / (size * grain_extent);
            vec4 found = laid_on_side(noise, side == 0 ? sides.axes.x : sides.axes.y, at, mat2(1.0), mipmap(level));
            grains += amount * (side == 0 ? sides.shares.x : sides.shares.y) * vec4(found.x, is_rough ? found.yzw : vec3(0.0));
            side = side + 1 < sides.count ? side + 1 : 0;
            layer += side == 0 ? 1 : 0;
        } while (layer <= last);
        edge = grains.x;
        albedo *= max(1.0 + 0.3 * edge, 0.2);
        albedo *= crusts_and_tufts(ground.rock, above, edge);
        normal = normalize(normal - 0.0025 * grains.yzw);
    }
#endif
#if TREES && FINE
    vec4 tree = gbuffer_here();
    if (tree.g > 2.0) {
        vec2 aside = clamp(tree.gb - 4.0, -1.0, 1.0);
        normal = vec3(aside.x, sqrt(max(1.0 - dot(aside, aside), 0.0)), aside.y);
        vec2 flat_on = normal.y > 0.8 ? point.xz : abs(normal.x) > abs(normal.z) ? point.zy : point.xy;
        vec4 leaves = textureLod(noise, flat_on / 9.0, mipmap(log2(256.0 * width / 9.0)));
        float clumps = textureLod(foam_pattern, flat_on / 7.0, mipmap(log2(256.0 * width / 7.0))).x;
        float tint = (floor(tree.a) - 1.0) / 14.0;
        float kind = clamp(tint + 0.15 * textureLod(noise, point.xz / 310.0, 2.0).x + 0.12 * leaves.x, 0.0, 1.0);
        normal = normalize(normal + 0.003 * vec3(leaves.y, 0.0, leaves.z));
        vec3 leaf = mix(vec3(0.024, 0.048, 0.020), vec3(0.086, 0.108, 0.032), kind) * (0.5 + clumps);
        albedo = tint < 0.0 ? vec3(0.085, 0.068, 0.052) : leaf;
        // The lower a leaf hangs, the more of the sky others hide.
        ground.sun = fract(tree.a) / 0.95;
        edged = 0.0;    // crowns have no edges that tone_map.frag could smooth
        ground.sky = (0.30 + 0.65 * normal.y) * (0.7 + 0.3 * ground.sun);
    }
#endif
    // Waves have been higher than they are now. Noise makes the edge of the wet sand irregular; the mesh alone would give straight lines.
    float wet = 1.0 - smoothstep(0.4, 0.7, above / min(0.0025 * grain_extent, 0.8 + 5.0 * width) + 0.4 * edge);
    albedo = wetted(albedo, ground.rock, max(wet, textureLod(wet_ground, field_uv(point.xz), 0.0).r));
#endif
#if BODIES
    ground.sun *= past_bodies(point + min(1e-3 * extent, 0.5) * normal, towards_sun);
    ground.sky *= sky_past_bodies(point, normal);
#endif
    vec3 light = lit_above(normal, albedo, ground.sun, ground.sky);
#if UNDERWATER
    // In a trough ground below still water is dry.
    if (above < min(water_height(point.xz), 0.0)) {
#if FINE && !POOL
        light = lit_in_water(point, normal, albedo, ground.sky, sun_past_ground * sun_in_bumps * caustics_at(point, width).rgb);
#else
        light = lit_below(point, normal, albedo, ground.sky, sun_past_ground, width);
#endif
    }
    light = through_water(light, uv, ray / far, far);
#else
    light = through_air(light, ray / far, far);
#endif
    colour = vec4(light, edged);
}
