"""Physical constants."""

GRAVITY = 9.81
"""Acceleration of gravity [m/s²]."""

WATER_DENSITY = 1000.0
"""Density of water [kg/m³]."""
