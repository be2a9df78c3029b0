#!/usr/bin/python3
"""Writes the slices of the reference files that are committed here: python3 slice.py FOLDER_OF_THE_WHOLE_FILES.

Every file keeps its layout. Of sw_t62.h5 the fields of the first and the last step are kept, of dropin.h5 the smallest
case of each class and all that C++ compares with, of the others everything.
"""
import pathlib
import sys

import h5py
import numpy

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


SPECTRAL = ("spectral2d_mm_multiply", "spectral2d_pp_multiply", "spectral3d_ppp_multiply")


def numbers(group):
    sizes = []
    group.visititems(lambda _, item: sizes.append(item.size) if isinstance(item, h5py.Dataset) else None)
    return sum(sizes)


def copy_cases(source, target):
    smallest = {}
    for name in source:
        kind = source[name].attrs["class"]
        smallest[kind] = min(smallest.get(kind, name), name, key=lambda case: numbers(source[case]))
    for name in sorted({*smallest.values(), *SPECTRAL}):
        copy(source[name], target.create_group(name), ())
    # The one large network computes in single precision anyway; its gradients of weights are left out.
    network = target["maxwellnet"]
    del network["grad"]
    for name in ("input", "output", "grad_input", "grad_output", "state/layers.0.0.fourier.weights"):
        values = network[name][()].astype(numpy.float32)
        del network[name]
        network.create_dataset(name, data=values, compression=9, shuffle=True)


def main():
    whole, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent
    for file in ("layers.h5", "networks.h5", "ns_smoke_64.h5", "sw_t62.h5"):
        with h5py.File(whole / file) as source, h5py.File(here / file, "w", libver="latest") as target:
            copy(source, target, FRAMES.get(file, ()))
    # Written twice: what is deleted keeps its place in a file.
    with h5py.File(whole / "dropin.h5") as source, h5py.File("cases", "w", driver="core", backing_store=False) as cases:
        copy_cases(source, cases)
        with h5py.File(here / "dropin.h5", "w", libver="latest") as target:
            copy(cases, target, ())


main()
