#version 330
// The cut sides of the block of ground: soil over layers of sediment and rock.
#include "view.glsl"
#include "sky.glsl"
#include "ground_light.glsl"

uniform sampler2D noise;

in vec3 position;
in vec3 normal;
in float top;
out vec4 colour;

void main() {
    float along = dot(position.xz, normal.zx);
    float thick = max(box_low.w - box_low.y, 0.02 * forward.w);
    vec2 at = vec2(along / forward.w, position.y / thick);
    vec4 warp = texture(noise, at * vec2(1.3, 0.35));
    vec4 grain = texture(noise, at * vec2(9.0, 2.5));
    float under = (top - position.y) / thick;

    float layer = at.y * 5.0 - 1.2 * under + 0.45 * warp.x;
    float band = texture(noise, vec2(0.37, layer * 0.11)).x + 0.25 * grain.x;
    vec3 earth = mix(vec3(0.185, 0.130, 0.090), vec3(0.345, 0.265, 0.185), smoothstep(-0.8, 0.8, band));
    earth *= 1.0 + 0.12 * grain.a;
    vec3 soil = mix(vec3(0.105, 0.075, 0.050), vec3(0.50, 0.43, 0.31), step(top, box_low.w + 0.004 * forward.w));
    float skin = 0.035 + 0.012 * warp.a + 0.012 * grain.x;
    vec3 albedo = mix(soil, earth, smoothstep(0.75 * skin, 1.15 * skin, under));
    float open = mix(0.45, 1.0, smoothstep(0.0, 0.9, (position.y - box_low.y) / thick));
    colour = vec4(lit_ground(normal, albedo, 1.0, open), 1.0);
}
