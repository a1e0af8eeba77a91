"""Shallow water over any ground."""
