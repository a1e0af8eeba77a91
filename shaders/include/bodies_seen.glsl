// Floating bodies as the picture of them alone shows them.
#include "view.glsl"

uniform sampler2D body_colour;
uniform sampler2D body_depth;

const int STARTS = 8;           // points of a ray where a body is looked for
const int STEPS = 4;            // from the best of them on
const float BESIDE = 0.02;      // how far beside a ray what is seen may lie, as a share of the way to it

// Replaces what is seen along a ray in the water by a body that stands in its way. The picture shows the bodies along
// straight rays: it is asked where points of the bent ray would be seen, denser near the surface, then where the body
// would be that it shows for the best of them. They lie within `reach` metres. What lies beside the ray in the end is
// passed by.
void body_in_water(vec3 from, vec3 ray, float reach, inout vec3 behind, inout float way) {
    vec4 start = view_projection * vec4(from, 1.0);
    vec4 onward = view_projection * vec4(ray, 0.0);
    float along = 0.0;
    float nearest = 0.5;
    for (int i = 0; i < STARTS; ++i) {
        float share = (float(i) + 0.5) / float(STARTS);
        vec4 clip = start + onward * (reach * share * share);
        float depth = textureLod(body_depth, 0.5 + 0.5 * clip.xy / clip.w, 0.0).r;
        float gap = abs(linear_depth(depth) / clip.w - 1.0);
        if (depth < 1.0 && gap < nearest) {
            nearest = gap;
            along = reach * share * share;
        }
    }
    // A number that is not constant keeps Mesa from taking all steps for rays that have met nothing.
    int steps = nearest < 0.5 ? STEPS : 0;
    float found = 0.0;
    float off = 1e30;
    vec2 place = vec2(0.0);
    for (int i = 0; i < steps; ++i) {
        vec4 clip = start + onward * along;
        vec2 uv = 0.5 + 0.5 * clip.xy / clip.w;
        float depth = textureLod(body_depth, uv, 0.0).r;
        vec3 seen = eye.xyz + picture_ray(uv) * linear_depth(depth) - from;
        along = dot(seen, ray);
        float beside = distance(seen, along * ray);
        if (depth >= 1.0 || along <= 0.0) break;
        if (beside < off) {
            off = beside;
            place = uv;
            found = along;
        }
    }
    if (off < BESIDE * found + pixel_width(start.w) && found < way) {
        behind = textureLod(body_colour, place, 0.0).rgb;
        way = found;
    }
}
