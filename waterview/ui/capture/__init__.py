"""What the window writes: films, camera paths and sessions."""
