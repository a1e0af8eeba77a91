"""Kernels of ocean: compiled functions that see arrays and numbers."""
