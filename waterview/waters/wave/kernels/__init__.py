"""Kernels of wave: compiled functions that see arrays and numbers."""
