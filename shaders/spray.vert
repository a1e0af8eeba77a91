#version 330
// Spray and bubbles as points; all other particles are moved out of sight. A particle in the air is a jet, drawn as several puffs of
// drops that fly apart, some of them a mist of finer drops, which takes a moment to form. The drops of a puff follow each other, and
// some were thrown faster than others, so it is longer along its flight than across it. Until it fades a puff hides as much however far
// its drops are spread, by their flight, by their motion while the shutter is open, or by a pixel that is larger.
#include "light.glsl"
#include "spray.glsl"

uniform float copies;   // puffs of a jet; slow ones make less spray, but two at least
uniform float shown;    // state of the particles to draw (spray_step.vert): 1 drops, 2 bubbles
uniform sampler2D bed;  // r height of the ground, g share of the sun that is seen past land

in vec4 in_place;       // xyz position, w state
in vec4 in_motion;      // xyz velocity, w seconds left
flat out float far;
flat out mat2 to_puff;  // from the point, -1 to 1 along its sides, to shares of half the puff's length and width
flat out vec4 in_front; // a value d of the depth buffer hides all of a puff but this share: w + z / (x - y d)
flat out float dense;   // optical depth in its middle
flat out vec4 light;    // a how far gaps tear it, 0-1
flat out mat3x2 gaps;   // from shares of half the puff's length and width, and 1, to the tile of noise that gaps are made of

const float SIZE = 0.00014;     // diameter of a disk that hides as much as a puff, as a share of the scene's longer side
const float MIST_START = 0.8;   // that of mist, in units of its larger width
const float SPREAD = 0.22;      // speed at which a puff spreads, as a share of √(g·diameter)
const float WIDE = 14.0;        // most distance of a puff from its jet's foot, along x and z [diameters]
const float APART = 0.35;       // most speed of a puff against its jet's, along each axis, as a share of the speed of its throw
const float SHUTTER = 0.02;     // for how long it is open [s]
const float OPEN = SHUTTER / sqrt(12.0);    // standard deviation of the moments at which the shutter is open [s]
#if BUBBLES
const float START = 0.8;        // standard deviation of the bubbles' places [diameters]
const float TRAIL = OPEN;
const float STRETCH = 0.0;
const float PROFILE = 2.0;      // power of 1 - r² with which a puff's depth falls from its middle to its edge (spray.frag)
#else
const float START = 1.5;        // standard deviation of the drops' places at first [diameters]
const float PROFILE = 3.0;
const float TRAIL = 0.05;       // standard deviation of the times at which a puff's drops pass a place, one after the other [s]
const float STRETCH = 0.15;     // and of the speeds with which they were thrown, as a share of their mean
#endif
const float LONGEST = 3.0;      // most length of such a trail [widths]
const int MIST = 2;             // how many of a fast jet's puffs are mist, the finest of its drops; all of spindrift's are
// Speed of jets with all their puffs [m/s]: water has the energy for the surface of drops of 0.14 mm there, √(12 σ/ρd). That these have
// mist is chosen by eye.
const float ENOUGH = 2.5;
const float WIDER = 6.0;        // how much wider mist is than puffs of larger drops: the air carries it about
const float FINER = 9.0;        // how much smaller its drops are: the same water hides as many times more
const float FINEST = 25.0;      // as FINER, of spindrift
const float TEARS = 0.2;        // time in which the air tears drops to mist [s]
const float FALLEN = 1.2;       // time in which the larger drops of a puff have fallen or are too far apart to be seen [s]
const float BREAKUP = 0.4;      // time in which a fast jet's threads of water break up into drops [s]
const float THREADS = 2.5;      // length over width of the gaps between threads, less 1
const float BLOWN_PUFFS = 4.0;  // how many of them spindrift is drawn as: their gaps, not their number, make it uneven
const float BLUR = 1.2;         // half the width of a puff so small that a pixel covers it [pixels]
const float EDGE = 1.75;        // standard deviations from a puff's middle to its edge
// A puff is drawn to where its depth is less than both of these, gaps aside.
const float FAINTEST = 1e-4;    // optical depth: the step from one value of light to the next is forty times as large
const float THINNEST = 0.03;    // share of the depth in its middle: what lies beyond hides a hundredth of what the puff hides
const float ONWARD = 0.85;      // mean cosine of the angle by which a drop turns light: that of cloud drops
const float WIDEST = 48.0;      // of a point [pixels, of a picture that is 1080 high or less]
const float GAPS = 96.0;        // side of the tile of noise of which they are [pixels]: the widest puff has one or two of the largest
const float CLOUDY = 0.65;      // how far they tear mist, as a share of those of larger drops
const float COARSER = 1.6;      // how much larger they are there: fine drops follow the air, whose small eddies do not last

// Light that drops, which see a share of the sun, send to the eye along a unit ray. What meets many of them comes out on all sides;
// they are as white as the foam below, which they see instead of dark water. Sunlight that meets one only goes on nearly as it came
// (Henyey and Greenstein), so spray before a low sun is bright.
vec3 scattered_by_drops(vec3 ray, float sun_seen) {
    float turned = 1.0 + ONWARD * ONWARD - 2.0 * ONWARD * dot(ray, towards_sun);
    float once = (1.0 - ONWARD * ONWARD) / (4.0 * PI) * pow(turned, -1.5);
    return 0.8 * sky_on(vec3(0.0, 1.0, 0.0)) + sun_seen * sun_light * (0.8 * 0.6 / PI + once);
}

void main() {
    float flown = shown == 1.0 ? FLIGHT - in_motion.w : 0.0;
    // As it set out, before gravity and drag: what a jet is drawn as does not change while it flies.
    float slowed = exp(DRAG * flown);
    vec3 thrown = slowed * in_motion.xyz + vec3(0.0, GRAVITY * (slowed - 1.0) / DRAG, 0.0);
    vec4 random = random4(uint(gl_VertexID), uint(gl_InstanceID) + 1u);
#if BUBBLES
    bool fine = false, mist = false;
#else
    bool fine = is_spindrift(gl_VertexID), mist = fine || (gl_InstanceID < MIST && length(thrown) > ENOUGH);
#endif
    vec3 aside = shown == 1.0 ? 2.0 * random.xyz - 1.0 : vec3(0.0);
    float size = SIZE * extent;
    // What the wind carries is drawn out along the water, not thrown apart.
    vec3 apart = APART * flown * (fine ? length(in_motion.xz) * vec3(1.0, 0.2, 1.0) : vec3(length(thrown)));
    vec3 at = in_place.xyz + aside * (WIDE * size * vec3(1.0, 0.0, 1.0) + apart);
    far = dot(at - eye, forward);
    float puffs = fine ? BLOWN_PUFFS : max(copies * dot(thrown, thrown) / (ENOUGH * ENOUGH), 2.0);
    bool is_seen = in_place.w == shown && float(gl_InstanceID) < puffs;
    float pixel = pixel_width(max(far, near_plane));
    float sharp = max(picture_size.y / 1080.0, 1.0);     // a picture with more pixels shows no finer gaps, or spray would be hatched
    float wide = (mist ? WIDER : 1.0) * (0.55 + 0.9 * random.w);
    float reach = wide * length(vec2((mist ? MIST_START : START) * size, SPREAD * sqrt(GRAVITY * size) * flown));
    // Half the picture is `right` wide and `up` high at distance 1.
    mat3x2 on_screen = transpose(mat2x3(right / dot(right, right), -up / dot(up, up)));
    vec2 pixels = 0.5 * picture_size / max(far, near_plane);
    // What comes towards the eye moves outwards in the picture. Without this, spray that the wind drives past hangs across its way.
    vec2 sideways = on_screen * (at - eye) / max(far, near_plane);
    vec2 flies = pixels * (on_screen * in_motion.xyz - sideways * dot(in_motion.xyz, forward));
    vec2 flung = pixels * (on_screen * thrown - sideways * dot(thrown, forward));
    flung *= mist ? 0.0 : STRETCH * flown;
    // Two independent deviations are together longest along the first eigenvector of the sum of their covariances.
    vec2 followed = (fine ? OPEN : TRAIL) * flies;
    vec2 squares = followed * followed + flung * flung;
    float both = followed.x * followed.y + flung.x * flung.y;
    float differ = 0.5 * (squares.x - squares.y);
    float most = length(vec2(differ, both));
    vec2 axis = differ > 0.0 ? vec2(most + differ, both) : vec2(both, most - differ);
    vec2 along = most > 0.0 ? normalize(axis) : vec2(1.0, 0.0);
    float deviation = sqrt(0.5 * (squares.x + squares.y) + most);
    float across = length(vec2(EDGE * reach / pixel, BLUR));
    float lengthwise = min(length(vec2(across, EDGE * deviation)), LONGEST * across);
    lengthwise = max(length(vec2(across, EDGE * OPEN * length(flies))), lengthwise);
    // The disk's area, over the ellipse's, where a puff's depth is a quarter of that in the middle on average (spray.frag).
    float there = max(1.0 - flown / (fine ? BLOWN : mist ? FLIGHT : FALLEN), 0.0);
    float hides = size * size * clamp(2.0 * in_motion.w, 0.0, 1.0);
    hides *= there * there * (mist ? (fine ? FINEST : FINER) * min(flown / TEARS, 1.0) : 1.0);
    dense = hides / (pixel * pixel * across * lengthwise);
    // Larger puffs have more gaps, round ones, except between threads of water. They lie otherwise in each puff, or those of a jet,
    // which fly side by side, would look all alike.
    float turn = random.z - 0.5;
    float threads = mist ? 0.0 : min(length(thrown) / ENOUGH, 1.0) * exp(-flown * flown / (BREAKUP * BREAKUP));
    light.a = (bool(BUBBLES) ? 0.0 : mist ? CLOUDY : 1.0) * clamp(0.15 * across / sharp - 0.3, 0.0, 1.0);
    vec2 half_size = min(vec2(lengthwise, across), 0.5 * WIDEST * sharp);
    gaps = mat3x2(mat2(cos(turn), sin(turn), -sin(turn), cos(turn)) / ((mist ? COARSER : 1.0) * GAPS * sharp));
    gaps[0] *= half_size.x / (1.0 + THREADS * threads);
    gaps[1] *= half_size.y;
    gaps[2] = random.xy;
    // The point need be no larger than the turned ellipse is wide and high, up to where the puff is too thin to be seen.
    float drawn = sqrt(1.0 - pow(min(FAINTEST / max(dense, FAINTEST), THINNEST), 1.0 / PROFILE));
    gl_PointSize = 2.0 * drawn * max(length(half_size * along), length(half_size * along.yx));
    dense *= exp(1.2 * light.a);    // what gaps leave of it hides about as much as it did
    vec2 onto = 0.5 * gl_PointSize / half_size;
    to_puff = mat2(onto * along, onto * vec2(along.y, -along.x));
    // Half of a puff lies before its middle. Taken apart, `linear_depth` (view.glsl) needs nothing of the view in spray.frag, which
    // software OpenGL would load again for every pixel.
    float steep = 0.5 / reach;
    in_front = vec4(far_plane, far_plane - near_plane, steep * near_plane * far_plane, 0.5 - steep * far);
    gl_Position = is_seen && dense > FAINTEST ? view_projection * vec4(at, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    float sun_seen = textureLod(bed, field_uv(at.xz), 0.0).g;
#if BUBBLES
    go_under_clouds(eye);
    light.rgb = 0.8 * (sun_seen * sun_light / PI * 0.7 + sky_light[0].rgb);
#else
    go_under_clouds(at);
    vec3 ray = at - eye;
    float away = length(ray);
    ray /= away;
    light.rgb = through_air(scattered_by_drops(ray, sun_seen), ray, away);
#endif
}
