"""Tools about this machine: its speed (bench) and its drivers (doctor)."""
