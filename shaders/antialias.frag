#version 330
// Smooths edges of the finished picture along their own direction (after Lottes 2009, FXAA); luma comes in alpha.

uniform sampler2D picture;
uniform vec2 pixel;     // one over the size of `picture`

in vec2 uv;
out vec4 colour;

const float FAINTEST = 0.05;
const float SHARE = 0.12;
const float LONGEST = 8.0;

void main() {
    vec4 middle = textureLod(picture, uv, 0.0);
    float nw = textureLodOffset(picture, uv, 0.0, ivec2(-1, 1)).a;
    float ne = textureLodOffset(picture, uv, 0.0, ivec2(1, 1)).a;
    float sw = textureLodOffset(picture, uv, 0.0, ivec2(-1, -1)).a;
    float se = textureLodOffset(picture, uv, 0.0, ivec2(1, -1)).a;
    float low = min(middle.a, min(min(nw, ne), min(sw, se)));
    float high = max(middle.a, max(max(nw, ne), max(sw, se)));
    if (high - low < max(FAINTEST, SHARE * high)) {
        colour = vec4(middle.rgb, 1.0);
        return;
    }
    vec2 along = vec2(sw + se - nw - ne, ne + se - nw - sw);
    float damp = max(0.03125 * (nw + ne + sw + se), 0.0078125);
    along *= 1.0 / (min(abs(along.x), abs(along.y)) + damp);
    along = clamp(along, -LONGEST, LONGEST) * pixel;
    vec4 inner = 0.5 * (textureLod(picture, uv - along / 6.0, 0.0) + textureLod(picture, uv + along / 6.0, 0.0));
    vec4 outer = 0.25 * (textureLod(picture, uv - 0.5 * along, 0.0) + textureLod(picture, uv + 0.5 * along, 0.0));
    vec4 wide = 0.5 * inner + outer;
    colour = vec4(wide.a < low || wide.a > high ? inner.rgb : wide.rgb, 1.0);
}
