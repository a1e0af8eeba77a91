#version 330
// The finished caustic map: rgb filtered sunlight, a height of the tops of floating bodies in its way.

uniform sampler2D caustics;
uniform sampler2D body_top;

in vec2 uv;
out vec4 map;

// Mean of four places `aside` texels away.
vec3 around(float aside) {
    vec2 step_out = aside / vec2(textureSize(caustics, 0));
    vec3 light = vec3(0.0);
    for (int i = 0; i < 4; ++i) {
        light += 0.25 * textureLod(caustics, uv + step_out * vec2(2 * (i & 1) - 1, (i & 2) - 1), 0.0).rgb;
    }
#if DISPERSION
    return light;
#else
    return light.rrr;
#endif
}

void main() {
    // Where light focuses, triangles are thinner than texels and hit their centres by chance: the filter evens that out.
    vec3 light = around(0.7);
#if DISPERSION
    // Chance differs from colour to colour, which would look like confetti: hue is taken from a wider neighbourhood.
    const vec3 THIRDS = vec3(1.0 / 3.0);
    vec3 far = 0.5 * (around(1.9) + around(4.3));
    light = max(dot(light, THIRDS) * (far + 1e-4) / (dot(far, THIRDS) + 1e-4), vec3(0.0));
#endif
    map = vec4(light, textureLod(body_top, uv, 0.0).r);
}
