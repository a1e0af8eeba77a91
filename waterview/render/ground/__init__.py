"""The ground: its mesh, its maps, and its tiles where it is a pool."""
