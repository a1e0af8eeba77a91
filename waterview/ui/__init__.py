"""Window, keys and HUD: events become commands."""
