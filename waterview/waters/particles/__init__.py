"""Wave particles (Yuksel, House and Keyser 2007)."""
