#version 330
// Sunlight of one triangle of the caustics mesh: as bright as its area has shrunk on the way through the water (added).

in vec2 source;
in float light;
out vec4 fragment;

const float BRIGHTEST = 40.0;

void main() {
    vec2 across = dFdx(source);
    vec2 along = dFdy(source);
    fragment = vec4(light * min(abs(across.x * along.y - across.y * along.x), BRIGHTEST));
}
