"""A water with all that acts on it, and the loop that steps it on a thread."""
