"""What is asked for: terrain, model, settings; presets, sessions, and scene after scene."""
