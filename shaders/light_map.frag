#version 330
// The finished light map: sunlight smoothed over a texel's neighbours, and the tops of what floats in its way.

uniform sampler2D caustics;
uniform sampler2D body_top;

in vec2 uv;
out vec4 map;

// The mean of four places `aside` texels away.
vec3 around(float aside) {
    vec2 step_out = aside / vec2(textureSize(caustics, 0));
    vec3 light = vec3(0.0);
    for (int i = 0; i < 4; ++i) {
        light += 0.25 * textureLod(caustics, uv + step_out * vec2(2 * (i & 1) - 1, (i & 2) - 1), 0.0).rgb;
    }
#if FRINGES
    return light;
#else
    return light.rrr;
#endif
}

void main() {
    // Where light focuses triangles are thinner than texels and meet their middles by chance.
    vec3 light = around(0.7);
#if FRINGES
    // That chance is another one for every colour and would be confetti: colours come from farther around.
    const vec3 THIRDS = vec3(1.0 / 3.0);
    vec3 far = 0.5 * (around(1.9) + around(4.3));
    light = max(dot(light, THIRDS) * (far + 1e-4) / (dot(far, THIRDS) + 1e-4), vec3(0.0));
#endif
    map = vec4(light, textureLod(body_top, uv, 0.0).r);
}
