"""Floating bodies in the picture."""
