"""Water whose state lies on the graphics card."""
