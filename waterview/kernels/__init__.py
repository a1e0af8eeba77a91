"""The only place with numba: functions that see arrays and numbers.

The first word of a file says what it serves:

- `wave`: the step of all grid models, with `awake` tiles, `shores` and `borders`, whose open sides are `open_levels`,
  `layers` and `absorbing`; `grid_step` puts them together, `slopes` and `surfaces` make frames of it;
- `bodies`, `particles`, `ocean`, `shallow_water`, `stable_fluids`, `spikes`, `regions`: each its own subject;
- `jit`, `processor`, `layout`, and the words of vectors, `vectors`, `choices`, `fours` and `vector_sums`: what kernels
  are written in; `team`, `cache` and `about`: where and how they run.
"""
