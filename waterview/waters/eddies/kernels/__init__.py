"""Kernels of eddies: compiled functions that see arrays and numbers."""
