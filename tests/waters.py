"""What tests of many waters share: a ground of any shape under them, and time that goes by."""


class Ground:
    """The ground under a water: its heights [m], shape (nz, nx), or a function of world x and z that gives them."""

    def __init__(self, heights):
        self.heights = heights

    def height_at(self, x, z):
        return self.heights(x, z) + 0.0 * (x + z) if callable(self.heights) else self.heights


def run(water, steps):
    """Take so many time steps."""
    for _ in range(steps):
        water.step()
