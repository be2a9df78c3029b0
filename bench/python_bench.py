"""Our layers in Python compared with PyTorch's, and with the same layers called from C++, in one process.

Prints a table, then lines "RATIO row value" (our time / the alternative's) and "VALUE row value unit"; bench/run python.
"""

import os
import statistics
import time
from typing import Tuple

import torch

import gcan

torch.ops.load_library(os.environ["GCAN_BENCH_LIBRARY"])
cpp = torch.ops.gcan_bench
rows = []


def block(call, calls: int) -> float:
    """Seconds per call, over the given number of calls."""
    # One thread is measured in CPU time, which excludes other processes, as in bench/report.h.
    clock = time.thread_time if torch.get_num_threads() == 1 else time.perf_counter
    begin = clock()
    for _ in range(calls):
        call()
    return (clock() - begin) / calls


def fastest(ours, other, rounds: int) -> Tuple[float, float]:
    """The shortest block of each; blocks alternate, so other work on the machine affects both equally."""
    ours(), other()
    times = [(ours(), other()) for _ in range(rounds)]
    return min(mine for mine, _ in times), min(its for _, its in times)


def timed(ours, other, calls: int, rounds: int = 15) -> Tuple[float, float]:
    return fastest(lambda: block(ours, calls), lambda: block(other, calls), rounds)


def show(row: str, times: Tuple[float, float], what: str) -> None:
    ours, other = times
    print(f"{row:34} {ours * 1e6:12.1f} us {other * 1e6:12.1f} us  {what}")
    rows.append(f"RATIO {row} {ours / other:.3f}")


def both(layer, x: torch.Tensor):
    """A call with its backward pass."""

    def call() -> None:
        layer(x).sum().backward()

    return call


def training(kind: type, batch: int, channels: int, height: int, width: int):
    """The time of one step of a GCA-UNet with an optimiser of this kind."""
    net = gcan.models.make("gca-unet", channels=channels)
    adam = kind(net.parameters(), 1e-4)
    x = torch.randn(batch, 4, 3, height, width)

    def step() -> None:
        adam.zero_grad(set_to_none=True)
        net(x).square().mean().backward()
        adam.step()

    def warmed() -> float:
        step()  # as on the C++ side, so that both find their data in the caches
        return block(step, 1)

    return warmed


def main() -> None:
    torch.manual_seed(1)
    print(f"{torch.get_num_threads()} threads, PyTorch {torch.__version__}; our time, the other's\n")
    for batch in (64, 1024):
        ours, plain = gcan.nn.GcaLinear((3, 0, 1), 128, 128), torch.nn.Linear(384, 384)
        x, flat = torch.randn(batch, 128, 3), torch.randn(batch, 384)
        with torch.no_grad():
            show(f"linear_{batch}", timed(lambda: ours(x), lambda: plain(flat), 30), "GcaLinear(128), Linear(384), forward")
        show(f"linear_{batch}_step", timed(both(ours, x), both(plain, flat), 20), "the same with backward")
    conv, plain = gcan.nn.GcaConv2d((3, 0, 0), 32, 32, 3, padding=1), torch.nn.Conv2d(96, 96, 3, padding=1)
    x = torch.randn(2, 32, 3, 64, 64)
    with torch.no_grad():
        flat = x.flatten(1, 2)
        show("conv2d", timed(lambda: conv(x), lambda: plain(flat), 2), "GcaConv2d(32), Conv2d(96), 64 x 64, forward")
    show("conv2d_step", timed(both(conv, x), both(plain, flat), 2), "the same with backward")

    overhead = []
    for batch, channels in ((1, 2), (16, 8), (64, 8)):
        layer, x = gcan.nn.GcaLinear((3, 0, 1), channels, channels), torch.randn(batch, channels, 3)
        python, own = fastest(lambda: block(lambda: layer(x), 200), lambda: cpp.linear(batch, channels, False, 200, 1), 25)
        overhead.append(python - own)
    python = statistics.median(overhead)
    print(f"{'call_overhead':34} {python * 1e6:12.1f} us  of a GcaLinear call from Python over C++, with a graph")
    rows.append(f"VALUE call_overhead {python * 1e6:.2f} us")

    for row, batch, channels, grid, rounds in (
        ("unet_step", 1, 8, (48, 96), 12),
        ("unet_step_laptop", 4, 8, (32, 64), 8),  # as in gcan reproduce shallow-water-unet --budget laptop
        ("unet_step_wide", 1, 32, (48, 96), 4),  # the paper's channels
    ):
        sizes = (batch, channels, *grid)
        what = f"GCA-UNet({channels}), {batch} x {grid[0]} x {grid[1]}"

        # C++ takes the faster of its two ways: a step after the backward pass, or within it as `gcan train` does.
        def fastest_cpp(sizes=sizes) -> float:
            return min(cpp.unet_step(*sizes, in_backward, 1) for in_backward in (False, True))

        show(row, fastest(training(gcan.optim.Adam, *sizes), fastest_cpp, rounds), f"{what}, gcan's Adam: Python, C++")
        if row == "unet_step":
            times = fastest(training(torch.optim.Adam, *sizes), lambda sizes=sizes: cpp.unet_step_torch(*sizes, 1), rounds)
            show("unet_step_torch_adam", times, f"{what}, PyTorch's Adam: Python, C++")
    print()
    print("\n".join(rows))


if __name__ == "__main__":
    main()
