"""Kernels of shallow: compiled functions that see arrays and numbers."""
