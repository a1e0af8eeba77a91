"""Slow, plain versions of what is computed, in float64 and written from the equations."""
