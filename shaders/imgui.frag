#version 330
// Dear ImGui's triangles: its colour times its atlas of glyphs.

uniform sampler2D font_texture;

in vec2 uv;
in vec4 color;

out vec4 fragment;

void main() {
    fragment = color * texture(font_texture, uv);
}
