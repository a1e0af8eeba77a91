"""A frame becomes a picture: one file a pass."""
