#version 330
// The water's mesh in the geometry buffer: its points are spread over the block and moved to the waving surface.
#include "block.glsl"
#include "surface.glsl"
#include "lod.glsl"

uniform sampler2D waves;

in vec2 in_corner;      // column and row within the patch
#if PARTLY_DRY
in uvec2 in_wet;        // a bit for each square that has water, row after row
flat out float wet;     // 1 in squares whose last corner this is, if they have water
#endif

out vec2 displacement;
out float foam;         // mean of the foam around the point, above what can be seen
out float shallow;      // how far the ground rises above where short waves break [m]; with a margin, as squares may be large

const float UNSEEN = 0.02;      // density of even foam that changes no pixel, though twice what foam_at begins to draw
const float LONELY = 0.25;      // density from which on a single texel of foam, with none around it, counts

#if FLOODED
const float RELIEF = 0.3;   // of ground that is finer than the grid [cells]

// How far the surface is drawn below its place. Water that has run up land drains and leaves a film. Ground under it would have no
// grain, and it would float over hollows that are finer than the grid. So thin a film looks like wet ground: it sinks below the relief,
// also on sea floor that lies bare. At the level of still water it does not: shores stay where they are.
float sunk(vec3 place) {
    float film = film_depth(distance(place, eye));
    float depth = (place.y - bed_at(place.xz)) / film;
    float moved = smoothstep(0.0, 0.1 * grid_spacing, abs(place.y - water_level));
    return RELIEF * grid_spacing * moved * (1.0 - smoothstep(0.03, 0.15, depth));
}
#endif

void main() {
    vec2 point = in_patch.xy + in_corner, share = morphed_place(point);
    // The mean reaches as far as the next points of the mesh, so that no foam is missed between them.
    float around = SQUARE * morph_end() * (1.0 + morph(point));
    float level = ceil(log2(around / grid_spacing * grid_texel.x * float(textureSize(waves, 0).x)));
    level = max(level, 1.0);
    foam = textureLod(waves, field_uv(water_place(share)), level).a - min(UNSEEN, LONELY * exp2(-2.0 * level));
#if PARTLY_DRY
    uint square = uint(max(in_corner.x - 1.0 + QUADS * (in_corner.y - 1.0), 0.0));
    wet = float((in_wet[square >> 5] >> (square & 31u)) & 1u);
#endif
    vec3 place = surface_point(share, displacement);
    shallow = bed_at(place.xz) - place.y + 1.5 * surf_depth() + 0.03 * around;
#if FLOODED
    place.y -= sunk(place);
#endif
    gl_Position = view_projection * vec4(place, 1.0);
}
