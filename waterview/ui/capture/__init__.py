"""What the window writes: films, flights of the camera, sessions."""
