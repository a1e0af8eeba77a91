"""Kernels of what is grown from a terrain."""
