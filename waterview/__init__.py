"""Real water on real terrain: a viewer and a library."""

__version__ = "0.1.0"
