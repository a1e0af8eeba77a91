#version 330
// The cut sides of the block of ground: soil over layers of sediment and rock.
#include "view.glsl"
#include "sky.glsl"
#include "ground_light.glsl"

uniform sampler2D noise;
uniform float wild;     // 1 for landscapes, 0 for basins

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

    float layer = at.y - 0.25 * under + 0.035 * warp.x;
    float band = texture(noise, vec2(0.37, layer * 0.30)).x + 0.6 * texture(noise, vec2(0.71, layer * 1.1)).x;
    vec3 earth = mix(vec3(0.150, 0.112, 0.085), vec3(0.290, 0.225, 0.165), smoothstep(-0.7, 0.7, band + 0.3 * grain.x));
    earth = mix(vec3(0.27, 0.265, 0.255) * (1.0 + 0.05 * band), earth, wild);
    earth *= 1.0 + 0.12 * grain.a;
    vec3 soil = mix(vec3(0.105, 0.075, 0.050), vec3(0.36, 0.31, 0.23), step(top, box_low.w + 0.004 * forward.w));
    float skin = 0.035 + 0.008 * warp.a + 0.008 * grain.x;
    // From afar the skin would be thinner than a pixel and break up into dots.
    float thin = clamp(1.6 - fwidth(under) / skin, 0.0, 1.0) * wild;
    vec3 albedo = mix(earth, soil, thin * (1.0 - smoothstep(0.75 * skin, 1.15 * skin, under)));
    float open = mix(0.45, 1.0, smoothstep(0.0, 0.9, (position.y - box_low.y) / thick));
    colour = vec4(lit_ground(normal, albedo, 1.0, open), 1.0);
}
