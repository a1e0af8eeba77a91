"""Slow, plain versions of kernels, in float64 and written from the equations."""
