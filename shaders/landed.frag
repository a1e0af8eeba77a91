#version 330
// The foam that a drop leaves where it falls (blending adds it up): many drops make foam, a lone one hardly any.

out vec4 waves;

void main() {
    waves = vec4(0.0, 0.0, 0.0, 0.12);
}
