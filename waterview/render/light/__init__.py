"""Light: sun, sky, mirror image and caustics."""
