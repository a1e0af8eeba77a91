#version 330
// The foam that a drop leaves where it falls (blending keeps the most).

out vec4 waves;

void main() {
    waves = vec4(0.0, 0.0, 0.0, 0.6);
}
