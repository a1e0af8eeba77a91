#version 330
// One triangle that covers the picture, and how much light it is exposed to.

uniform sampler2D adapted;
uniform float stops;        // what the user adds [EV]
uniform float automatic;    // 1 where the exposure follows the picture

out vec2 uv;
flat out float exposure;

const float BASE = 0.44;    // puts sunlit grass near middle grey
const float USUAL = -2.1;   // the mean logarithm of light of a scene in bright sun
const float TRUST = 0.6;    // less than 1, so that a dark place stays a little darker than a bright one
const float MOST = 4.0;     // [EV]

void main() {
    uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(2.0 * uv - 1.0, 1.0, 1.0);
    float follow = clamp(TRUST * (USUAL - texelFetch(adapted, ivec2(0), 0).r), -MOST, MOST);
    exposure = BASE * exp2(stops + automatic * follow);
}
