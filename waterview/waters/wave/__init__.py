"""Waves on a grid: the damped wave equation, the dual buffer, the height field fluid."""
