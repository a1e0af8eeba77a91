#version 330
// Where sunlight that enters the water at each node of an even mesh meets ground or a body: places in the light map for
// three colours. The mesh covers the light map's area; beyond the block its waves go on turned back, or light there would be
// drawn out to stripes, and the mesh's rim lies as under still water, or waves would move it in and leave darkness.
#include "water_rays.glsl"
#include "surface.glsl"
#include "waves.glsl"

uniform vec2 nodes;             // how many along x and z
uniform sampler2D body_top;     // as `a` of the light map

layout(location = 0) out vec4 green_source; // xy place of green light, 0-1 over the map, zw where the light entered
layout(location = 1) out vec4 share;        // r light relative to that of still water in full sun
#if FRINGES
layout(location = 2) out vec4 red_blue;     // xy and zw places of red and blue light
#endif

// Air's index over that of water for red, green and blue: about twice as far apart as in nature, or the fringes
// would be finer than the map.
const vec3 INDICES = 1.0 / vec3(1.329, 1.333, 1.338);

vec2 map_place(vec2 xz) {
    return (xz - lit_area.xy) * lit_area.zw;
}

// Where light is in the map that passes `from` along `ray` and is stopped at height y.
vec2 landed(vec3 from, vec3 ray, float y) {
    vec2 at = from.xz + ray.xz / ray.y * (y - from.y);
    return map_place(at - sunk.xz / sunk.y * (y - box_low.w));
}

void main() {
    vec2 node = (gl_FragCoord.xy - 0.5) / (nodes - 1.0);
    vec2 place = lit_area.xy + node / lit_area.zw;
    vec2 inset = vec2(box_high.w);
    vec2 edge = clamp(place, box_low.xz + inset, box_high.xz - inset);
    vec2 xz = 2.0 * edge - place;
    float spacing = 1.0 / (lit_area.z * nodes.x);
    Waves here = waves_at(xz, 0.7 * spacing);
    vec2 entry = place + moved_by(xz);
    vec3 from = vec3(entry.x, box_low.w + height_at(xz), entry.y);
    vec2 rim = step(0.5, abs(node - 0.5) + 0.25 / nodes);
    here.slope *= 1.0 - max(rim.x, rim.y);
    vec3 normal = normalize(vec3(here.slope.x, 1.0, here.slope.y));
    float cosine = max(dot(normal, sun.xyz), 0.0);
    vec3 green = refract(-sun.xyz, normal, INDICES.g);
    float y = from.y + green.y * way_to_ground(from, green, forward.w);
    vec2 shore = textureLod(bed, field_uv(edge), 0.0).rg;
    float lit = shore.g;
#if BODIES
    lit *= 1.0 - step(0.001, textureLod(body_top, map_place(entry), 0.0).r);
    for (int i = 0; i < 2; ++i) {
        y = max(y, box_low.w + forward.w * textureLod(body_top, landed(from, green, y), 0.0).r);
    }
    y = min(y, from.y);
#endif
    // Flats that water only just covers are lit as well.
    // What passes one square metre of map: facets towards the sun catch more of it.
    lit *= cosine / (normal.y * sun.y) * smoothstep(-0.01 * absorption.w, -1e-4 * absorption.w, from.y - shore.r);
    green_source = vec4(landed(from, green, y), map_place(entry));
    share = vec4(lit);
#if FRINGES
    red_blue.xy = landed(from, refract(-sun.xyz, normal, INDICES.r), y);
    red_blue.zw = landed(from, refract(-sun.xyz, normal, INDICES.b), y);
#endif
}
