"""The water: its surface, its meshes, its spray, and looking from below."""
