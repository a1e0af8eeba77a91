"""Floating bodies: what they are made of, how they move, and how they push the water aside."""
