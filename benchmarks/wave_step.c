/* The damped nine-point step as one would first write it, in place over the older level; rows on all threads. */
#include <stddef.h>
#include <stdint.h>

void wave_steps(float *h, float *before, const uint8_t *fixed, int n, float keep, float gain, int steps)
{
    const size_t width = (size_t)n + 2;
    for (int step = 0; step < steps; step++) {
        #pragma omp parallel for schedule(static)
        for (int i = 1; i <= n; i++) {
            const float *restrict up = h + (i - 1) * width, *restrict row = h + i * width;
            const float *restrict down = h + (i + 1) * width;
            const uint8_t *restrict dry = fixed + i * width;
            float *restrict out = before + i * width;
            for (int j = 1; j <= n; j++) {
                float c = row[j], sides = row[j - 1] + row[j + 1] + up[j] + down[j];
                float corners = up[j - 1] + up[j + 1] + down[j - 1] + down[j + 1];
                float after = c + keep * (c - out[j]) + gain * (sides + 0.5f * corners - 6.0f * c);
                out[j] = dry[j] ? 0.0f : after;
            }
        }
        float *t = h; h = before; before = t;
    }
}
