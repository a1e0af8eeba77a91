#version 330
// Writes a material, the normal of a tree, and its tint and share of the sun into the geometry buffer.

uniform float material;     // as in waterview/render/materials.py

in float sun;
in vec3 local;
in vec3 facing;
in vec3 ray;
flat in float tint;
flat in float pixels;
flat in float thinned;
out vec4 texel;

const float TWIGS = 34.0;       // from the foot of a tree to its top
const float FINER = 2.1;        // how many times as fine as a layer the next one is
const int LAYERS = 5;           // from twigs to leaves of 1.5 cm on a tree of 10 m
const mat3 TURN = mat3(0.36, 0.48, -0.80, -0.80, 0.60, 0.0, 0.48, 0.64, 0.60);

// Sine of so many turns, as two parabolas: no more than 0.06 off, and much faster on software OpenGL.
vec3 sine(vec3 turns) {
    vec3 t = 2.0 * fract(turns) - 1.0;
    return 4.0 * t * (abs(t) - 1.0);
}

// Leaves at this place of the crown, in layers from twigs to single leaves, as far as pixels show them: x how far they stand out,
// about -1 to 1, yzw in which direction they rise. Each layer is a gyroid (Schoen 1970), which winds through space as twigs do, bent so
// that no row can be seen to repeat. It tilts leaves by its weight, however fine it is, as if finer layers stood out less.
vec4 leaves() {
    vec4 sum = vec4(0.0);
    float weights = 0.0, weight = 1.0, size = pixels / TWIGS;
    vec3 at = 0.5 * TWIGS * local;
    at += 0.24 * sine(0.41 * at.yzx) + 0.08 * sine(0.93 * at.zxy);
    mat3 turned = mat3(1.0);
    int layer = 0;
    do {
        vec3 s = sine(at), c = sine(at + 0.25);
        sum += weight * vec4(dot(s, c.yzx), (c * c.yzx - s * s.zxy) * turned);
        weights += weight;
        at = FINER * (TURN * at) + 0.11 * s.zxy;
        turned = TURN * turned;
        size /= FINER;
        weight *= 0.7 * smoothstep(1.5, 4.0, size);
    } while (weight > 0.0 && ++layer < LAYERS);
    return sum * vec4(0.7 / weights, vec3(1.0));
}

void main() {
    vec4 leaf = leaves();
    float stands = clamp(0.5 + 0.5 * leaf.x, 0.0, 0.999);
    // Gaps between leaves: at the outline, and near the eye everywhere. Far away they would flicker.
    float leafy = smoothstep(30.0, 90.0, pixels), near = smoothstep(60.0, 300.0, pixels);
    vec3 even = normalize(facing);
    float away = dot(even, normalize(ray));
    float edge = abs(away);
    float deep = 1.0 - stands;
    if (stands < max(thinned, 0.3 * near) || edge < (0.75 * leafy + 0.35 * near) * deep * deep) discard;
    vec3 tilted = normalize(even - 0.35 * (leaf.yzw - dot(leaf.yzw, even) * even));
    // The buffer keeps x and z, and normals that face up. What faces down is taken to face aside.
    if (tilted.y < 0.0) tilted.xz *= inversesqrt(max(dot(tilted.xz, tilted.xz), 1e-4));
    vec3 normal = mix(facing, tilted, near);
    // Light is lost between leaves, and to the inside of the crown, which gaps show.
    float light = sun * mix(1.0, min(0.3 + 1.1 * stands, 1.0) * (1.0 - 0.7 * smoothstep(0.0, 0.3, away)), near);
    float leaf_tint = clamp(tint + floor(near * (6.0 * stands - 3.0) + 0.5), min(tint, 1.0), 15.0);
    // Four tells the shader of the ground that this is a tree, whose normal it is.
    texel = vec4(material, 4.0 + normal.xz, leaf_tint + 0.95 * light);
}
