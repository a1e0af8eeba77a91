"""Floating bodies as they are drawn."""
