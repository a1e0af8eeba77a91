#version 330
// The finished caustic map: filtered sunlight, rgb on the ground and a on floating bodies.

uniform sampler2D caustics;

in vec2 uv;
out vec4 map;

// Mean of four places `aside` texels away.
vec4 around(float aside) {
    vec2 step_out = aside / vec2(textureSize(caustics, 0));
    vec4 light = vec4(0.0);
    for (int i = 0; i < 4; ++i) {
        light += 0.25 * textureLod(caustics, uv + step_out * vec2(2 * (i & 1) - 1, (i & 2) - 1), 0.0);
    }
#if DISPERSION
    return light;
#else
    return light.rrrg;
#endif
}

void main() {
    // Where light focuses, triangles are thinner than texels and hit their centres by chance: the filter evens that out.
    map = around(0.7);
#if DISPERSION
    // Chance differs from colour to colour, which would look like confetti: hue is taken from a wider neighbourhood.
    const vec3 THIRDS = vec3(1.0 / 3.0);
    vec3 far = 0.5 * (around(1.9).rgb + around(4.3).rgb);
    map.rgb = max(dot(map.rgb, THIRDS) * (far + 1e-4) / (dot(far, THIRDS) + 1e-4), vec3(0.0));
#endif
}
