"""Cameras: how a scene is looked at, and what lies under a pixel."""
