"""Deep water under wind, by inverse Fourier transforms (Tessendorf 2001)."""
