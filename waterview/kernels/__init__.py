"""The only place with numba: functions that see arrays and numbers."""
