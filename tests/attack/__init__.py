"""An attack on the program: damaged files, failing disks, random settings, commands and events; see `make attack`."""
