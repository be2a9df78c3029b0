#!/usr/bin/python3
"""Writes the slices of the reference files that are committed here: python3 slice.py FOLDER_OF_THE_WHOLE_FILES.

Every file keeps its layout. Of sw_t62.h5 the fields of the first and the last step are kept, of the others everything.
"""
import pathlib
import sys

import h5py

FRAMES = {"sw_t62.h5": ("steps", "u", "v", "pres", "vor", "div")}


def copy(source, target, frames):
    for name, value in source.attrs.items():
        target.attrs[name] = value
    for name, item in source.items():
        if isinstance(item, h5py.Group):
            copy(item, target.create_group(name), frames)
            continue
        values = item[()][[0, -1]] if name in frames else item[()]
        large = values.size > 2000
        stored = target.create_dataset(name, data=values, compression=9 if large else None, shuffle=large or None)
        for key, value in item.attrs.items():
            stored.attrs[key] = value


def main():
    whole, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent
    for file in ("layers.h5", "networks.h5", "ns_smoke_64.h5", "sw_t62.h5"):
        with h5py.File(whole / file) as source, h5py.File(here / file, "w", libver="latest") as target:
            copy(source, target, FRAMES.get(file, ()))


main()
