"""What tells about this machine: its speed, its drivers."""
