"""What an HDF5 file, which NetCDF 4 is, takes from other files: links, datasets that are views of others, raw data."""

from __future__ import annotations

from pathlib import Path

import h5py

MOST_OBJECTS = 100_000
"""A heightmap has a handful of groups and variables; a file with more is forged."""


def link_outwards(path: Path) -> str:
    """What in the HDF5 file `path` names another file, in words; "" if nothing does. No other file is opened.

    Raises:
        Exception: of any type, if it is damaged.
    """
    with h5py.File(path, "r") as file:
        waiting, seen = [file.id], set[object]()
        while waiting:
            group = waiting.pop()
            for name in group:
                told = name.decode("utf-8", "replace")
                kind = group.links.get_info(name).type
                if kind == h5py.h5l.TYPE_SOFT:
                    continue  # it names a place in this file, which is looked at where it is
                if kind != h5py.h5l.TYPE_HARD:
                    return f"the link '{told}'"
                found = h5py.h5o.open(group, name)
                place = h5py.h5o.get_info(found).addr
                if place in seen:
                    continue
                seen.add(place)
                if len(seen) > MOST_OBJECTS:
                    raise ValueError("it has too many groups and variables")
                if isinstance(found, h5py.h5g.GroupID):
                    waiting.append(found)
                elif isinstance(found, h5py.h5d.DatasetID) and _is_elsewhere(found):
                    return f"the variable '{told}'"
    return ""


def _is_elsewhere(dataset: h5py.h5d.DatasetID) -> bool:
    """Whether the values of a dataset lie in another file; asked of its properties, which opens none."""
    made = dataset.get_create_plist()
    return bool(made.get_layout() == h5py.h5d.VIRTUAL or made.get_external_count())
