#version 330
// Sunlight of one triangle: brighter by as much as its area has shrunk on its way through the water (additive).

in vec2 source;
in float light;
out vec4 fragment;

const float BRIGHTEST = 40.0;

void main() {
    vec2 across = dFdx(source);
    vec2 along = dFdy(source);
    fragment = vec4(light * min(abs(across.x * along.y - across.y * along.x), BRIGHTEST));
}
