#version 330
// Colour and slope of the ground. Baked once per terrain and sun.
#include "view.glsl"
#include "bicubic.glsl"
#include "ground_materials.glsl"
#include "land.glsl"
#include "noise.glsl"

uniform sampler2D bed;
uniform sampler2D visibility;   // rg shares of sun and sky seen, ba of them in water (ground_visibility.frag)
uniform float steep;            // slope that counts as steep here
uniform float wild;             // 1 for a landscape with grass and snow, 0 for a basin
uniform bool tiled;             // whether tiles lie on it, whose material depends on slopes
uniform float clefts;           // share to which ground under water hides the sky from other ground: not in basins and pools
uniform float snow_line;        // height above the water from which on there is snow [m]
uniform bool grown;             // whether the land is finer than the grid, and it is known where water gathers
uniform float whole;            // longer side of the scene, of which the block may be a part [m]

in vec2 uv;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 relief;   // xy slope along x and z, zw shares of sun and sky seen

// Fractal noise of mean 0: x its value, yz its gradient. Its largest features are `size` metres long. The map's texels are drawn out
// down ground of such a steepness, and what differs from each to the next would be black specks on a wall: the steeper ground is, the
// fewer of the fine features it has. On ground that rises by less than a half it has them all.
vec3 fractal(vec2 xz, float size, float steepness) {
    vec3 sum = vec3(0.0);
    float amplitude = 1.0;
    mat2 turn = mat2(0.8, 0.6, -0.6, 0.8);
    vec2 at = xz / size;
    mat2 back = mat2(1.0);
    float detail = log2(256.0 * length(dFdx(xz)) * max(2.0 * steepness, 1.0) / size) - 4.0;
    for (int i = 0; i < OCTAVES; ++i) {
        vec4 n = textureLod(noise, at, mipmap(detail));
        sum += amplitude * vec3(n.x, n.yz * back);
        amplitude *= 0.5;
        at = 2.03 * (turn * at) + 0.37;
        detail += log2(2.03);
        back = turn * back * 2.03;
    }
    return vec3(sum.x, sum.yz / size);
}

// Height of the ground, and its slope along x and z: of a field with one texel in `texel` that lies `at` here.
vec3 height_and_slope(sampler2D field, vec2 at, vec2 texel) {
    vec2 dx = vec2(texel.x, 0.0), dz = vec2(0.0, texel.y);
    vec2 across = vec2(bicubic(field, at + dx, texel).r - bicubic(field, at - dx, texel).r,
                       bicubic(field, at + dz, texel).r - bicubic(field, at - dz, texel).r);
    vec2 cell = (box_high.xz - box_low.xz) * texel / (1.0 - texel);
    return vec3(bicubic(field, at, texel).r, across / (2.0 * cell));
}

// The slope beside an edge between floor, wall and coping: that of the flatter side, which grows from the edge on. A smooth slope would
// round edges off, and the dark tiles of a wall would lie on top of it.
vec2 with_edges(vec2 slope, vec2 at) {
    float here = textureLod(bed, at, 0.0).r;
    vec2 before, after;
    for (int axis = 0; axis < 2; ++axis) {
        vec2 aside = axis == 0 ? vec2(grid_texel.x, 0.0) : vec2(0.0, grid_texel.y);
        before[axis] = (here - textureLod(bed, at - aside, 0.0).r) / grid_spacing;
        after[axis] = (textureLod(bed, at + aside, 0.0).r - here) / grid_spacing;
    }
    vec2 flatter = mix(before, after, lessThan(abs(after), abs(before)));
    return mix(slope, flatter, greaterThan(abs(slope - flatter), vec2(0.5)));
}

void main() {
    vec2 xz = mix(box_low.xz, box_high.xz, uv);
    vec3 ground = height_and_slope(bed, field_uv(xz), grid_texel);
    if (tiled) ground.yz = with_edges(ground.yz, field_uv(xz));
    vec2 texel = land_texel();
    vec2 at = land_uv(xz);
    // Under water and at the shore the ground is as the water knows it.
    if (grown) {
        float dry = smoothstep(0.0, 0.004 * whole, ground.x - water_level);
        ground = mix(ground, height_and_slope(land, at, texel), dry);
    }
    float y = ground.x;
    vec2 slope = ground.yz;
    float steepness = length(slope);
    vec3 broad = fractal(xz, 1.9 * whole, steepness);
    vec3 fine = fractal(xz + 17.0, 0.29 * whole, steepness);
    // A part has the patches of the whole, and finer ones in them.
    if (extent < 0.99 * whole) fine += 0.5 * fractal(xz + 17.0, 0.29 * extent, steepness);

    float above = y - water_level;
    float relief_height = max(box_high.y - water_level, 1e-3 * whole);
    float rough = smoothstep(0.7, 1.25, steepness / steep + 0.35 * fine.x);
    // Beds of rock that dip a little: hard ones stand out steep, and each has its own grey.
    float bed_height = y + dot(xz, vec2(0.11, 0.06)) + 0.012 * whole * broad.x;
    vec4 layer = textureLod(noise, vec2(dot(xz, vec2(0.6, 0.8)) / whole, bed_height / (0.09 * whole)), 0.0);
    vec3 rock = mix(vec3(0.165, 0.153, 0.138), vec3(0.285, 0.270, 0.252), clamp(0.5 + 0.3 * fine.x + 0.9 * layer.x, 0.0, 1.0));
    vec3 stone = vec3(0.36, 0.35, 0.33) * (1.0 + 0.06 * fine.x);
    vec3 made = mix(stone, on_land(above, above / relief_height, snow_line, rough, fine.x, broad.x, rock), wild);
    vec3 sand = vec3(0.60, 0.52, 0.38) * (1.0 + 0.14 * fine.x);
    // Sand lies near the water's edge and not high above it; height over slope estimates the distance.
    float inland = above / (steepness + 0.004) / whole;
    float sandy = 1.0 - smoothstep(0.5, 1.5, max(inland / 0.0045, above / (0.022 * relief_height)) - 0.5 * broad.x);
    if (grown) {
        float reach = 0.006 * whole;
        vec2 dx = vec2(reach, 0.0);
        float around = land_height(xz + dx) + land_height(xz - dx) + land_height(xz + dx.yx) + land_height(xz - dx.yx);
        float hollow = clamp((around - 4.0 * y) / (reach * reach) * 0.006 * whole, -1.0, 1.0);
        float flow = 5.0 * bicubic(land, at, texel).g;
        vec3 gathered = watered(made, flow, steepness / steep, hollow, fine.x);
        made = mix(made, gathered, wild * (1.0 - rough) * (1.0 - smoothstep(0.8, 1.0, above / snow_line)));
    }
    // Sand lies on no slope steeper than its angle of repose, 34 degrees: waves have washed such a shore to bare rock.
    float washed = smoothstep(0.55, 0.75, steepness) * smoothstep(-0.004 * whole, 0.0, above);
    rough = max(rough, sandy * washed * wild);
    made = mix(made, mix(sand, rock, rough), sandy * wild);
    vec3 bottom = under_water(-above, rough * wild, fine.x + 0.5 * broad.x, rock);
    made = above > 0.0 ? made : mix(stone, bottom, wild);

    // Noise tilts the ground as well, most of all where it is rock.
    float bumps = mix(0.004, mix(0.022, 0.12, rough), wild);
    slope *= 1.0 + wild * rough * clamp(0.8 * layer.w, -0.5, 0.6);
    slope += bumps * fine.yz * (0.29 * 0.035 * extent);
    albedo = vec4(made, rough);
    // Shade on the water lies on the ground below, too: it begins at what throws it, and goes on under water away from the sun.
    vec4 seen = textureLod(visibility, uv, 0.0);
    relief = vec4(slope, seen.r * seen.b, seen.g * mix(1.0, seen.a, clefts));
}
