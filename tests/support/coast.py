"""A rough coast with mountains, many islands and a shore on every side: the sea and land around Vancouver Island.

`coast.npz` beside this file holds the array `topo` of `topobathy.npz` in the sample data of matplotlib 3.11.2, with its
coordinates; `coast.LICENSE.txt` is its licence. Tests alone use it: the program comes with coasts of its own.
"""

from pathlib import Path

from waterview.terrain.library import TerrainSource
from waterview.terrain.options import TerrainOptions

PATH = Path(__file__).with_name("coast.npz")
OPTIONS = TerrainOptions(size_m=400.0, vertical_scale=0.01)
COAST = TerrainSource("coast", "Vancouver Island and the Strait of Georgia", PATH, OPTIONS)
"""290 km as a model 400 m long, heights exaggerated seven times."""
