// Floating bodies as rays see them: spheres and boxes in closed form, meshes by the signed distances in a volume.

uniform sampler2D body_table;       // a row per body (render/bodies/bodies.py)
uniform sampler3D body_volumes;     // rgb albedo, a signed distance in the mesh's own units; the volumes lie one above the other

const int GEOMETRY = 3;             // columns of the table; the first three are the matrix to the body's own axes
const int BALL = 4;
const int LOW = 5;
const int SIZE = 6;
const int SHADE = 7;
const float POINTS = 64.0;          // along each side of a volume
const float TILES = 8.0;            // layers along each side of the map of a ball's albedo
const float NONE = 1e30;

vec4 body_row(int body, int column) {
    return texelFetch(body_table, ivec2(column, body), 0);
}

// A point (w = 1) or a direction (w = 0) along the body's own axes, in the mesh's own units.
vec3 body_own(int body, vec4 world) {
    return vec3(dot(body_row(body, 0), world), dot(body_row(body, 1), world), dot(body_row(body, 2), world));
}

// A texel of the volume `layer` volumes up, as a texture coordinate.
vec3 in_volumes(vec3 texel, float layer) {
    return vec3(texel.xy, texel.z + layer * POINTS) / vec3(textureSize(body_volumes, 0));
}

// Texture coordinate of a point of the volume, which lies `layer` volumes up.
vec3 volume_place(vec3 own, float layer, vec3 low, vec3 size) {
    return in_volumes(0.5 + clamp((own - low) / size, 0.0, 1.0) * (POINTS - 1.0), layer);
}

// Albedo and distance there.
vec4 volume_at(vec3 own, float layer, vec3 low, vec3 size) {
    return textureLod(body_volumes, volume_place(own, layer, low, size), 0.0);
}

// Texture coordinate of a point of a ball's surface in the map of its albedo: an octahedron unfolded to a square, which is cut into
// the layers of its volume. Its points are nine times as close as those of a volume, or borders of colours would have steps.
vec3 ball_place(vec3 own, float layer) {
    vec3 face = own / (abs(own.x) + abs(own.y) + abs(own.z));
    vec2 folded = (1.0 - abs(face.zx)) * (2.0 * step(0.0, face.xz) - 1.0);
    vec2 place = (0.5 + 0.5 * (face.y < 0.0 ? folded : face.xz)) * TILES * (POINTS - 1.0);
    vec2 tile = min(floor(place / (POINTS - 1.0)), TILES - 1.0);
    return in_volumes(vec3(0.5 + place - tile * (POINTS - 1.0), 0.5 + tile.x + TILES * tile.y), layer);
}

// Own units of a body to a metre, along its axes.
vec3 body_metre(int body) {
    return vec3(length(body_row(body, 0).xyz), length(body_row(body, 1).xyz), length(body_row(body, 2).xyz));
}

// Distance of a point, in a body's own units, from its surface [m]; negative within it.
float distance_from_own(vec3 own, vec3 metre, vec4 geometry, vec3 low, vec3 size) {
    if (geometry.x < 0.5) return (length(own) - 0.5) / metre.x;
    if (geometry.x < 1.5) {
        vec3 off = (abs(own) - 0.5) / metre;
        return length(max(off, 0.0)) + min(max(max(off.x, off.y), off.z), 0.0);
    }
    vec3 near = clamp(own, low, low + size);
    return (volume_at(near, geometry.y, low, size).a + length(own - near)) / metre.x;
}

// Distance of a point from a body's surface [m]; negative within it.
float distance_from_body(int body, vec3 point) {
    vec3 own = body_own(body, vec4(point, 1.0));
    return distance_from_own(own, body_metre(body), body_row(body, GEOMETRY), body_row(body, LOW).xyz, body_row(body, SIZE).xyz);
}

// Distance along a unit ray to one body, which the ray can meet only between `near` and `far`; NONE if it misses it.
float distance_to_body(int body, vec3 from, vec3 ray, float near, float far) {
    vec4 geometry = body_row(body, GEOMETRY);
    vec3 own = body_own(body, vec4(from, 1.0));
    vec3 along = body_own(body, vec4(ray, 0.0));
    if (geometry.x < 0.5) {
        float square = dot(along, along);
        float middle = dot(own, along) / square;
        float root = middle * middle - (dot(own, own) - 0.25) / square;
        float half_chord = sqrt(max(root, 0.0));
        return root > 0.0 && half_chord > middle ? max(-middle - half_chord, 0.0) : NONE;
    }
    if (geometry.x < 1.5) {
        vec3 inverse = 1.0 / (along + vec3(1e-9));
        vec3 one = (-0.5 - own) * inverse;
        vec3 other = (0.5 - own) * inverse;
        vec3 enter = min(one, other);
        vec3 leave = max(one, other);
        float path = max(max(max(enter.x, enter.y), enter.z), 0.0);
        return path < min(min(leave.x, leave.y), leave.z) ? path : NONE;
    }
    vec4 low = body_row(body, LOW);
    vec3 size = body_row(body, SIZE).xyz;
    float step_up = 1.0 / length(along);
    float close = 0.15 / POINTS;
    float path = near;
    float least = near;
    // The shortest step is that between points of the volume: rays along the surface would use up all steps before they met what
    // lies behind, and light would fall through the edge of a shadow. Mesa unrolls loops of up to 32 steps.
    for (int i = 0; i < 40; ++i) {
        float away = volume_at(own + along * path, geometry.y, low.xyz, size).a;
        // A step that went into the body goes back as far as to where it may have entered: in a thin side, as a boat's, the other
        // face can be nearer.
        if (away < close) return least;
        least = path + max(away, 0.0) * step_up;
        path += max(away, 1.0 / POINTS) * step_up;
        if (path > far) break;
    }
    return NONE;
}

// Where a unit ray is in the ball around a body, made larger by `more` [m]: from .x to .y metres along it; nowhere if .x > .y.
vec2 within_ball(int body, vec3 from, vec3 ray, float more) {
    vec4 ball = body_row(body, BALL);
    vec3 off = ball.xyz - from;
    float middle = dot(off, ray);
    float square = (ball.w + more) * (ball.w + more) - dot(off, off) + middle * middle;
    float half_chord = sqrt(max(square, 0.0));
    return square > 0.0 ? vec2(max(middle - half_chord, 0.0), middle + half_chord) : vec2(0.0, -1.0);
}

// The table has at least one row. Loops over it end with their condition: software OpenGL computes a turn more of those that begin
// with it.

// Distance along a unit ray to the nearest body within `farthest` metres, and which that is: -1 for none. A ray that begins
// in a body meets it at once.
float body_hit(vec3 from, vec3 ray, float farthest, out int which) {
    which = -1;
    float path = farthest;
    int i = 0;
    do {
        vec2 within = within_ball(i, from, ray, 0.0);
        if (within.x > min(within.y, path)) continue;
        float found = distance_to_body(i, from, ray, within.x, min(within.y, path));
        which = found < path ? i : which;
        path = min(found, path);
    } while (++i < textureSize(body_table, 0).y);
    return path;
}

// Whether a unit ray passes within `aside` metres of a ball around a body.
bool bodies_within(vec3 from, vec3 ray, float aside) {
    bool any_near = false;
    int i = 0;
    do {
        vec4 ball = body_row(i, BALL);
        vec3 off = ball.xyz - from;
        vec3 beside = off - max(dot(off, ray), 0.0) * ray;
        any_near = any_near || dot(beside, beside) < (ball.w + aside) * (ball.w + aside);
    } while (++i < textureSize(body_table, 0).y);
    return any_near;
}

// Whether bodies let sunlight through to a point, from `towards` it: 1 or 0.
float past_bodies(vec3 point, vec3 towards) {
    int which;
    body_hit(point, towards, NONE, which);
    return which < 0 ? 1.0 : 0.0;
}

// Share of sunlight that bodies let through to a point, from `towards` it, where what it falls on is a body, too. A volume knows
// its body only between points, so a sharp shadow on the body itself would have steps: here light fades from all to none while
// the ray comes as near to the body as two points are, and goes into it as deep.
float sunlight_past_bodies(vec3 point, vec3 towards) {
    float share = 1.0;
    int i = 0;
    do {
        vec3 size = body_row(i, SIZE).xyz;
        float soft = max(max(size.x, size.y), size.z) / (POINTS * length(body_row(i, 0).xyz));
        vec2 within = within_ball(i, point, towards, soft);
        if (within.x > within.y) continue;
        if (body_row(i, GEOMETRY).x < 1.5) {
            share *= step(NONE, distance_to_body(i, point, towards, within.x, within.y));
            continue;
        }
        float least = soft;
        int steps = 0;
        do {
            float away = distance_from_body(i, point + within.x * towards);
            least = min(least, away);
            within.x += max(away, 0.5 * soft);
        } while (++steps < 40 && within.x < within.y && least > -soft);
        share *= smoothstep(-soft, soft, least);
    } while (++i < textureSize(body_table, 0).y);
    return share;
}

// Share of sunlight that bodies let through, from `towards` it, to what lies within `width` metres around a point. One smaller than that
// shades a part of it.
float sunlight_around(vec3 point, vec3 towards, float width) {
    float share = 1.0;
    int i = 0;
    do {
        float size = body_row(i, BALL).w;
        float soft = max(width, 2.0 * size / POINTS);
        vec2 within = within_ball(i, point, towards, soft);
        if (within.x > within.y) continue;
        vec4 geometry = body_row(i, GEOMETRY);
        vec3 low = body_row(i, LOW).xyz;
        vec3 sides = body_row(i, SIZE).xyz;
        vec3 metre = body_metre(i);
        vec3 own = body_own(i, vec4(point, 1.0));
        vec3 along = body_own(i, vec4(towards, 0.0));
        float least = soft;
        int steps = 0;
        do {
            float away = distance_from_own(own + within.x * along, metre, geometry, low, sides);
            least = min(least, away);
            within.x += max(away, soft);
        } while (++steps < 40 && within.x < within.y && least > -soft);
        size = min(size / soft, 1.0);
        share *= mix(1.0, smoothstep(-soft, soft, least), size * size);
    } while (++i < textureSize(body_table, 0).y);
    return share;
}

// Share of the light of the sky that bodies near a point leave to a surface with this normal: 1 less their form factors, as those of
// balls. They are exact above the surface's horizon; of a ball that it cuts the square of the part of its height that is above counts,
// which is right to 0.04 close by and to 0.004 elsewhere.
float sky_past_bodies(vec3 point, vec3 normal) {
    float share = 1.0;
    int i = 0;
    do {
        vec4 shade = body_row(i, SHADE);
        vec3 off = (shade.xyz - point) / shade.w;
        float far = max(length(off), 1.001);
        float height = dot(normal, off);
        float above = clamp(0.5 + 0.5 * height, 0.0, 1.0);
        share *= 1.0 - max(height, above * above) / (far * far * far);
    } while (++i < textureSize(body_table, 0).y);
    return share;
}

// Unit normal and albedo of a body at a point of its surface.
vec3 body_surface(int body, vec3 point, out vec3 albedo) {
    vec4 geometry = body_row(body, GEOMETRY);
    vec4 low = body_row(body, LOW);
    vec3 size = body_row(body, SIZE).xyz;
    vec3 own = body_own(body, vec4(point, 1.0));
    vec3 off = size / POINTS;
    vec3 normal = own;
    if (geometry.x > 1.5) {
        for (int i = 0; i < 3; ++i) {
            vec3 aside = vec3(i == 0, i == 1, i == 2) * off;
            normal[i] = (volume_at(own + aside, geometry.y, low.xyz, size).a - volume_at(own - aside, geometry.y, low.xyz, size).a) / off[i];
        }
    } else if (geometry.x > 0.5) {
        vec3 out_there = abs(own);
        float farthest = max(max(out_there.x, out_there.y), out_there.z);
        normal = sign(own) * step(farthest, out_there);
    }
    // A little outside of it: behind a thin side, as a boat's, lie the colours of its other face.
    normal = normalize(normal);
    vec3 place = volume_place(own + 0.5 * dot(abs(normal), off) * normal, geometry.y, low.xyz, size);
    if (geometry.x < 0.5) place = ball_place(own, geometry.y);
    albedo = textureLod(body_volumes, place, 0.0).rgb;
    return normalize(normal.x * body_row(body, 0).xyz + normal.y * body_row(body, 1).xyz + normal.z * body_row(body, 2).xyz);
}
