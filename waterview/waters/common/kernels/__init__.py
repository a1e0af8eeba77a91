"""Kernels of common: compiled functions that see arrays and numbers."""
