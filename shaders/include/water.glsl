// Light in water: what is seen through its surface. Needs view.glsl, sky.glsl, ground_light.glsl
// and water_rays.glsl.

uniform sampler2D opaque_colour;
uniform sampler2D opaque_depth;
uniform sampler2D albedo_map;
uniform sampler2D relief_map;

const float INDEX = 1.333;

// Share of unpolarised light that the surface of water mirrors, exact for a cosine of incidence in air.
float fresnel(float cosine) {
    float g = sqrt(INDEX * INDEX - 1.0 + cosine * cosine);
    float a = (g - cosine) / (g + cosine);
    float b = (cosine * (g + cosine) - 1.0) / (cosine * (g - cosine) + 1.0);
    return 0.5 * a * a * (1.0 + b * b);
}

// What the picture without water shows at `uv`: rgb, and in a the distance along `forward`.
vec4 opaque_at(vec2 uv) {
    return vec4(textureLod(opaque_colour, uv, 0.0).rgb, linear_depth(textureLod(opaque_depth, uv, 0.0).r));
}

// The ground at a point that the picture does not show, lit anew from the baked maps.
vec3 ground_at(vec3 point, float far) {
    float texel = forward.w / float(max(textureSize(albedo_map, 0).x, textureSize(albedo_map, 0).y));
    float detail = log2(max(2.0 * far * length(up.xyz) * screen.w / texel, 1.0));
    vec4 relief = textureLod(relief_map, block_uv(point.xz), detail);
    vec3 albedo = textureLod(albedo_map, block_uv(point.xz), detail).rgb;
    vec3 normal = normalize(vec3(-relief.x, 1.0, -relief.y));
    return lit_ground(normal, wetted(albedo, 1.0), relief.z, relief.w) * daylight_under_water(box_low.w - point.y);
}

// Light of the ground at `point`: from the picture without water if it shows that point, else lit anew.
vec3 ground_seen(vec3 point) {
    vec4 clip = view_projection * vec4(point, 1.0);
    vec2 uv = 0.5 + 0.5 * clip.xy / clip.w;
    // What stands nearer than the point hides it in the picture, not in the water. One pixel lower, where such things
    // begin, as their colour already bleeds up from there.
    float nearest = linear_depth(textureLod(opaque_depth, uv - vec2(0.0, screen.w), 0.0).r);
    bool shown = all(greaterThan(uv, 2.0 * screen.zw)) && all(lessThan(uv, 1.0 - 2.0 * screen.zw));
    if (shown && abs(nearest - clip.w) < 0.01 * forward.w) return textureLod(opaque_colour, uv, 0.0).rgb;
    return ground_at(point, clip.w);
}

// Light that comes out of the water along -ray at the surface point `from`, with `behind` what stands behind that
// point in the picture. `sun_in` is the sunlight that enters the water here, per area of surface.
vec3 seen_through(vec3 from, vec3 ray, vec3 behind, vec3 sun_in) {
    float to_side = way_out(from, ray);
    float way = way_to_ground(from, ray, to_side);
    vec3 met = from + ray * min(way, to_side);
    bool transmitted = false;
    if (way > to_side) {
        // Rays that come to a side at less than 48.6 degrees from it are mirrored there and see the ground yet.
        float across_x = side_across_x(met);
        float facing = abs(mix(ray.z, ray.x, across_x));
        transmitted = facing > 0.661;
        way = to_side;
        if (!transmitted) {
            vec3 on = ray * vec3(1.0 - 2.0 * across_x, 1.0, 2.0 * across_x - 1.0);
            float more = max(met.y - bed_at(met.xz), 0.0) / max(-on.y, 0.1);
            more = max(met.y - bed_at(met.xz + on.xz * more), 0.0) / max(-on.y, 0.1);
            met += on * more;
            way += more;
        }
    }
    vec3 ground = behind;
    if (!transmitted) {
        met.xz = clamp(met.xz, box_low.xz + 2.0 * box_high.w, box_high.xz - 2.0 * box_high.w);
        ground = ground_seen(met);
    }

    // Light scattered towards the eye on the way, itself dimmed by the depth it comes from.
    vec3 dimming = absorption.rgb * max(1.0 - DOWNWARD * ray.y, 0.15);
    vec3 daylight = (sun_in / PI + textureLod(sky_map, vec2(0.5), 5.0).rgb)
                  * daylight_under_water(box_low.w - from.y);
    vec3 scattered = scatter.rgb * daylight * (absorption.rgb / dimming) * (1.0 - exp(-dimming * way));
    return ground * exp(-absorption.rgb * way) + scattered;
}
