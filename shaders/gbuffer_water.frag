#version 330
// Writes the water into the geometry buffer: one material where foam is near, another where there is none. The mesh's
// vertices tell which. A look-up for each pixel would cost more than it saves.

in vec2 displacement;
in float foam;
in float shallow;
#if PARTLY_DRY
flat in float wet;
#endif
out vec4 texel;

void main() {
#if PARTLY_DRY
    if (wet == 0.0) {
        discard;
    }
#endif
    texel = vec4(foam > 0.0 || shallow > 0.0 ? FOAMY_WATER : WATER, displacement, 1.0);
}
