"""Writes a NetCDF-4 file as a weather service does, for the examples of docs/data-files.md: era.py FILE.nc"""
import sys

import h5py
import numpy

TIMES, LATITUDES, LONGITUDES = 1200, 9, 16


def main():
    with h5py.File(sys.argv[1], "w") as file:
        axes = {
            "time": (6 * numpy.arange(TIMES, dtype="i4"), "hours since 1979-01-01 00:00:00"),
            "latitude": (numpy.linspace(90, -90, LATITUDES, dtype="f4"), "degrees_north"),
            "longitude": (numpy.arange(LONGITUDES, dtype="f4") * 360 / LONGITUDES, "degrees_east"),
        }
        for name, (values, units) in axes.items():
            file[name] = values
            file[name].make_scale(name)
            file[name].attrs["units"] = units
        random = numpy.random.default_rng(1)
        for name, units, scale, offset in (("msl", "Pa", 2.0, 1e5), ("u10", "m s**-1", 0.01, 0), ("v10", "m s**-1", 0.01, 0)):
            # Packed, as they are.
            file[name] = random.integers(-1000, 1000, (TIMES, LATITUDES, LONGITUDES), dtype="i2")
            file[name].attrs.update(units=units, scale_factor=scale, add_offset=offset, _FillValue=numpy.int16(-32767))
            for axis, scale_name in enumerate(axes):
                file[name].dims[axis].attach_scale(file[scale_name])


main()
