#version 330
// One triangle that covers the picture, and the exposure.

uniform sampler2D adapted;  // mean logarithm of light that the eye has adapted to
uniform float stops;        // what the user adds [EV]
uniform float automatic;    // 1 where the exposure follows the picture

out vec2 uv;
flat out float exposure;

const float BASE = 0.44;    // puts sunlit grass near middle grey
const float USUAL = -2.1;   // mean logarithm of light in a scene in bright sun
const float TRUST = 0.6;    // below 1, so that a dark place stays a little darker than a bright one
const float MOST = 4.0;     // largest correction [EV]

void main() {
    uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(2.0 * uv - 1.0, 1.0, 1.0);
    float follow = clamp(TRUST * (USUAL - texelFetch(adapted, ivec2(0), 0).r), -MOST, MOST);
    exposure = BASE * exp2(stops + automatic * follow);
}
