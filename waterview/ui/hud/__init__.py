"""What is drawn over the picture: figures, help, maps, rows and probes."""
