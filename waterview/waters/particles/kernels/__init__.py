"""Kernels of particles: compiled functions that see arrays and numbers."""
