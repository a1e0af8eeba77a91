// Floating bodies seen through water: looked up in screen space, in the picture that shows the lit bodies alone.
#include "view.glsl"

uniform sampler2D body_colour;
uniform sampler2D body_depth;

const int STARTS = 8;           // points of a ray where a body is looked for
const int STEPS = 4;            // from the best of them on
const float BESIDE = 0.02;      // how far beside a ray a hit may lie, as a share of the distance to it

// If a body stands in the way of a refracted ray, puts its light into `behind` and the distance to it into `path`. The picture
// shows the bodies along straight rays. First points of the refracted ray, denser near the surface, are projected into it to
// find the one nearest to a body; from there the search moves to the point that the picture shows. Bodies are looked for
// within `reach` metres. A point too far beside the ray is no hit.
void body_in_water(vec3 from, vec3 ray, float reach, inout vec3 behind, inout float path) {
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
    // A loop bound that is not constant keeps Mesa from taking all steps for rays that have met nothing.
    int steps = nearest < 0.5 ? STEPS : 0;
    float found = 0.0;
    float off = 1e30;
    vec2 place = vec2(0.0);
    for (int i = 0; i < steps; ++i) {
        vec4 clip = start + onward * along;
        vec2 uv = 0.5 + 0.5 * clip.xy / clip.w;
        float depth = textureLod(body_depth, uv, 0.0).r;
        vec3 seen = eye + picture_ray(uv) * linear_depth(depth) - from;
        along = dot(seen, ray);
        float beside = distance(seen, along * ray);
        if (depth >= 1.0 || along <= 0.0) break;
        if (beside < off) {
            off = beside;
            place = uv;
            found = along;
        }
    }
    if (off < BESIDE * found + pixel_width(start.w) && found < path) {
        behind = textureLod(body_colour, place, 0.0).rgb;
        path = found;
    }
}
