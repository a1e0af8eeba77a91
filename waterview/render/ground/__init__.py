"""The ground: its meshes, and its textures."""
