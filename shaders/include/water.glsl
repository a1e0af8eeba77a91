// Light in water: what is seen through its surface. Needs view.glsl and sky.glsl.

uniform sampler2D sky_map;
uniform sampler2D opaque_colour;
uniform sampler2D opaque_depth;

const float INDEX = 1.333;

// Share of unpolarised light that the surface of water mirrors, exact for a cosine of incidence in air.
float fresnel(float cosine) {
    float g = sqrt(INDEX * INDEX - 1.0 + cosine * cosine);
    float a = (g - cosine) / (g + cosine);
    float b = (cosine * (g + cosine) - 1.0) / (cosine * (g - cosine) + 1.0);
    return 0.5 * a * a * (1.0 + b * b);
}

// Way from a point in the water along a unit ray until it leaves the block.
float way_out(vec3 from, vec3 ray) {
    vec3 wall = mix(box_low.xyz, vec3(box_high.x, box_low.w + 0.02 * forward.w, box_high.z), step(0.0, ray));
    vec3 far = (wall - from) / (ray + vec3(1e-6) * (2.0 * step(0.0, ray) - 1.0));
    return max(min(min(far.x, far.y), far.z), 0.0);
}

// What the ground copy shows at `uv`: rgb, and in a the distance along `forward`.
vec4 opaque_at(vec2 uv) {
    return vec4(textureLod(opaque_colour, uv, 0.0).rgb, linear_depth(textureLod(opaque_depth, uv, 0.0).r));
}

// Light that comes out of the water along -ray at the surface point `from`, with `behind` what stands behind that
// point in the picture. `sun_seen` is the share of the sun that reaches the water here.
vec3 seen_through(vec3 from, vec3 ray, vec2 uv, vec4 behind, float sun_seen) {
    float own = 1.0 / gl_FragCoord.w;
    float out_of_block = way_out(from, ray);
    float straight = max(behind.a - own, 0.0) * length(picture_ray(uv));
    // Follow the bent ray as far as the ground was away on the straight one, and look what the picture shows there.
    vec4 clip = view_projection * vec4(from + ray * min(straight, out_of_block), 1.0);
    vec2 bent = 0.5 + 0.5 * clip.xy / clip.w;
    vec2 margin = smoothstep(0.0, 0.06, min(bent, 1.0 - bent));
    bent = mix(uv, bent, margin.x * margin.y);
    vec4 ground = opaque_at(bent);
    // A sample in front of the surface does not lie in the water: look straight there.
    if (ground.a < own) {
        ground = behind;
        bent = uv;
    }
    vec3 met = eye.xyz + picture_ray(bent) * ground.a;
    float way = min(distance(met, from), out_of_block);

    // Light scattered towards the eye on the way, itself dimmed by the depth it comes from.
    vec3 dimming = absorption.rgb * max(1.0 - 1.15 * ray.y, 0.15);
    vec3 daylight = (sun_light.rgb * sun.y * sun_seen / PI + textureLod(sky_map, vec2(0.5), 5.0).rgb)
                  * exp(-1.15 * absorption.rgb * max(box_low.w - from.y, 0.0));
    vec3 scattered = scatter.rgb * daylight * (absorption.rgb / dimming) * (1.0 - exp(-dimming * way));
    return ground.rgb * exp(-absorption.rgb * way) + scattered;
}
