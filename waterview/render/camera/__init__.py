"""Cameras, their paths, and what lies under a pixel."""
