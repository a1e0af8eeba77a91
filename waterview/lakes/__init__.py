"""Lakes larger than a machine: a scene stepped in blocks by many workers, and kept on disk."""
