"""Kernels of bodies: compiled functions that see arrays and numbers."""
