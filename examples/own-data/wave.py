#!/usr/bin/env python3
"""Waves in a periodic box as a file that gcan trains on: examples/own-data/wave.py wave.h5

dp/dt = -c^2 div v, dv/dt = -grad p (density 1), solved exactly in Fourier space from random starts: pressure p is a scalar
field, velocity v a vector field. Replace them by your own data; docs/own-data.md explains the layout.
"""
import sys

import h5py  # Debian: apt-get install python3-h5py
import numpy as np

trajectories, frames, n, length, c, dt = 48, 24, 32, 1.0, 1.0, 0.04
random = np.random.default_rng(1)

k = 2 * np.pi * np.fft.fftfreq(n, length / n)
kx, ky = np.meshgrid(k, k, indexing="ij")
k_abs = np.sqrt(kx**2 + ky**2)
times = dt * np.arange(frames)
pressure = np.zeros((trajectories, frames, n, n), "f4")
velocity = np.zeros((trajectories, frames, n, n, 2), "f4")
for i in range(trajectories):
    start = np.fft.fft2(random.standard_normal((n, n))) * np.exp(-((k_abs / 20) ** 2))
    start[0, 0] = 0  # no mean
    start *= n * n / np.sqrt(np.sum(np.abs(start) ** 2))  # deviation 1
    for j, t in enumerate(times):
        pressure[i, j] = np.fft.ifft2(start * np.cos(c * k_abs * t)).real
        push = -1j * start * t * np.sinc(c * k_abs * t / np.pi)  # -i p sin(c k t) / (c k)
        for axis, ki in enumerate((kx, ky)):
            velocity[i, j, :, :, axis] = np.fft.ifft2(ki * push).real

with h5py.File(sys.argv[1], "w") as f:
    f.attrs["dataset_name"], f.attrs["grid_type"] = "waves", "cartesian"
    f.attrs["n_trajectories"], f.attrs["n_spatial_dims"] = trajectories, 2
    dimensions = f.create_group("dimensions")
    dimensions.attrs["spatial_dims"] = ["x", "y"]
    dimensions["time"] = times
    for axis in "xy":
        dimensions[axis] = (np.arange(n) + 0.5) * length / n
        dimensions[axis].attrs["units"] = "m"
        f.create_group(f"boundary_conditions/{axis}_boundary").attrs["bc_type"] = "PERIODIC"
    fields = (("t0_fields", "pressure", "Pa", pressure), ("t1_fields", "velocity", "m/s", velocity))
    for group, name, unit, values in fields:
        f.create_group(group).attrs["field_names"] = [name]
        f[group][name] = values  # (trajectory, frame, x, y), of a vector (trajectory, frame, x, y, component)
        f[group][name].attrs["units"] = unit
    f["t1_fields/velocity"].attrs["components"] = ["vx", "vy"]
