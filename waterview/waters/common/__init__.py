"""What families of waters share: drops, rain, walls, borders, volume, stability."""
