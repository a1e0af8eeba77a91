"""Water models, one file each; MODELS maps their names to their classes."""
