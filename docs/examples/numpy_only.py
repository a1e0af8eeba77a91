"""The water as arrays and nothing else: how much of a drop reaches the lee of an island."""

import numpy as np

from waterview import Drop, Heightmap, WaveEquationWater

# The ground: a pool of 40 m × 30 m, 2 m deep, with a round island in the middle. Rows are z, columns are x.
z, x = np.mgrid[-15:15:121j, -20:20:161j]
ground = Heightmap.from_array(np.maximum(-2.0, 3.0 - np.hypot(x, z)), size=(40.0, 30.0))

water = WaveEquationWater(40.0, 30.0, 161, origin=(-20.0, 0.0, -15.0), wave_speed=4.0, damping=0.1)
water.set_height_map(ground)
water.disturb(Drop(-12.0, 0.0, height=0.5, radius=2.0))

lee, beside = water.grid.nearest(8.0, 0.0), water.grid.nearest(8.0, 10.0)
highest = {"lee": 0.0, "beside": 0.0}
for _ in range(60):  # six seconds in tenths; every call takes whole fixed steps
    water.simulate(0.1)
    for name, (ix, iz) in (("lee", lee), ("beside", beside)):
        highest[name] = max(highest[name], water.get_height(ix, iz))

print(f"highest crest behind the island {highest['lee']:.3f} m, beside it {highest['beside']:.3f} m")
print(
    f"{water.fixed.sum()} points of {water.fixed.size} are land; the water is {water.height.dtype} {water.height.shape}"
)
np.savez_compressed("water.npz", height=water.height, fixed=water.fixed, x=water.grid.x, z=water.grid.z)
