"""Fine eddies on the surface (Stam 1999)."""
