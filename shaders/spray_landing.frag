#version 330
// Foam left by a drop that lands (added): many drops make foam, a single one hardly any.

out vec4 waves;

void main() {
    waves = vec4(0.0, 0.0, 0.0, 0.03);
}
