"""The water: its surface, its mesh, foam and spray, and the view from under water."""
