#version 330
// Drops and bubbles as points; all other particles are moved out of sight.
#include "view.glsl"
#include "spray.glsl"

uniform float shown;    // state of the particles to draw (spray_step.vert): 1 drops, 2 bubbles

in vec4 in_place;       // xyz position, w state
in vec4 in_motion;      // xyz velocity, w seconds left
out float far;
out float age;
out float share;        // of its point that the particle covers

const float SIZE = 0.0002;  // of a drop, as a share of the scene's longer side
const float MIST = 2.0;     // how much wider spindrift is, which is many drops, and how much thinner
const float LEAST = 1.5;    // width of a point [pixels]: smaller ones would flicker

void main() {
    far = dot(in_place.xyz - eye, forward);
    age = in_motion.w;
    gl_Position = view_projection * vec4(in_place.xyz, 1.0);
    float mist = is_spindrift(gl_VertexID) ? MIST : 1.0;
    float pixels = mist * SIZE * extent / (pixel_angle * max(far, near_plane));
    gl_PointSize = clamp(pixels, LEAST, 7.0);
    share = min(pixels * pixels / (LEAST * LEAST), 1.0) / (mist * mist);
    if (in_place.w != shown) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
