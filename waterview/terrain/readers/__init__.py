"""Readers of raster files, one file a library."""
