// Floating bodies as the picture of them alone shows them.
#include "view.glsl"

uniform sampler2D body_colour;
uniform sampler2D body_depth;

// Replaces what is seen along a ray in the water by a body that stands in its way. The picture shows the bodies along
// straight rays; it is asked where the bent ray's points would be seen, first the one `reach` metres away.
void body_in_water(vec3 from, vec3 ray, float reach, inout vec3 behind, inout float way) {
    for (int i = 0; i < 4; ++i) {
        vec4 clip = view_projection * vec4(from + ray * reach, 1.0);
        vec2 uv = 0.5 + 0.5 * clip.xy / clip.w;
        float depth = textureLod(body_depth, uv, 0.0).r;
        if (depth >= 1.0) return;
        vec3 at = eye.xyz + picture_ray(uv) * linear_depth(depth);
        float along = dot(at - from, ray);
        if (i == 3 && along > 0.0 && along < way) {
            behind = textureLod(body_colour, uv, 0.0).rgb;
            way = along;
        }
        reach = clamp(along, 0.0, way);
    }
}
