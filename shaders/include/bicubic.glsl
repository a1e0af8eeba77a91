// Cubic B-spline interpolation with four linear fetches (Sigg and Hadwiger 2005); its second derivative is continuous.

vec4 bicubic(sampler2D field, vec2 uv, vec2 texel) {
    vec2 at = uv / texel - 0.5;
    vec2 cell = floor(at);
    vec2 f = at - cell;
    vec2 f2 = f * f;
    vec2 f3 = f2 * f;
    vec2 w0 = (1.0 - 3.0 * f + 3.0 * f2 - f3) / 6.0;
    vec2 w1 = (4.0 - 6.0 * f2 + 3.0 * f3) / 6.0;
    vec2 w3 = f3 / 6.0;
    vec2 near_share = w0 + w1;
    vec2 far_share = 1.0 - near_share;
    vec2 near_uv = (cell - 0.5 + w1 / near_share) * texel;
    vec2 far_uv = (cell + 1.5 + w3 / far_share) * texel;
    return near_share.y * (near_share.x * textureLod(field, near_uv, 0.0)
                           + far_share.x * textureLod(field, vec2(far_uv.x, near_uv.y), 0.0))
         + far_share.y * (near_share.x * textureLod(field, vec2(near_uv.x, far_uv.y), 0.0)
                          + far_share.x * textureLod(field, far_uv, 0.0));
}
