// The sun on open water, as its facets sparkle.
#include "water.glsl"
#include "random.glsl"

#if GRAIN_RELIEF && !POOL
// Share of the variance of unresolved slopes that is of waves as long as a pixel or its footprint. They lean all facets of a pixel
// together, so it sparkles or stays dark; the rest of the facets is too many to be counted.
const float LEANING = 0.87;

// Lean of the waves in a cell of a grid on the water, 2^level metres wide, over the deviation of their slopes: Gaussian at any time, and
// turning about as fast as waves eight cells long, but not so fast that at thirty pictures a second it would not be seen to come and go.
vec2 cell_lean(vec2 xz, float level) {
    ivec2 cell = ivec2(floor(xz * exp2(-level)));
    uint drawn = hash(uint(cell.x) ^ hash(uint(cell.y) ^ hash(uint(int(level)))));
    vec2 chance = (vec2(drawn & 0xffffu, drawn >> 16) + 0.5) / 65536.0;
    float angle = 2.0 * PI * chance.y + (0.7 + 0.6 * chance.x) * min(sqrt(0.25 * PI * GRAVITY * exp2(-level)), 12.0) * time;
    return sqrt(-log(chance.x)) * vec2(cos(angle), sin(angle));
}

// `glitter` of a pixel at the grid's xz, `far` metres away, as its own facets make it: the mean over many is the same. Cells look as
// wide as 1.5 pixels or a 540th of the picture is high: finer ones would be lost where edges are smoothed. At a low angle they look
// as low as one pixel.
float glints(vec3 normal, vec3 to_eye, float cosine, float spread, vec2 xz, float far) {
    float level = log2(max(1.5, picture_size.y / 540.0) * pixel_width(far) * inversesqrt(max(to_eye.y, 0.03)));
    float part = fract(level);
    level -= part;
    vec2 lean = sqrt(1.0 - part) * cell_lean(xz, level) + sqrt(part) * cell_lean(xz, level + 1.0);
    lean *= normal.y * sqrt(LEANING * spread);
    return glitter(normalize(normal + vec3(lean.x, 0.0, lean.y)), to_eye, cosine, (1.0 - LEANING) * spread);
}
#else
#define glints(normal, to_eye, cosine, spread, xz, far) glitter(normal, to_eye, cosine, spread)
#endif
