"""Light: sky, caustics and reflections."""
