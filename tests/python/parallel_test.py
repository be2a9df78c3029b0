"""DistributedDataParallel over gcan's layers: two processes on one machine."""

from pathlib import Path

import pytest
import torch
from torch import nn

import gcan.nn as gnn


def network() -> nn.Module:
    torch.manual_seed(3)
    return nn.Sequential(gnn.GcaLinear((3, 0, 1), 1, 8), gnn.MSiLU((3, 0, 1), 8), gnn.GcaLinear((3, 0, 1), 8, 1))


def work(rank: int, folder: Path) -> None:
    # By a file: Debian's PyTorch 2.6 has no libuv, which the default way by a port asks for.
    torch.distributed.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=2)
    net = nn.parallel.DistributedDataParallel(network())
    x = torch.linspace(-1, 1, 24).reshape(8, 1, 3)[rank * 4 : rank * 4 + 4]
    net(x).square().mean().backward()
    if rank == 0:
        torch.save([parameter.grad for parameter in net.parameters()], folder / "gradients")
    torch.distributed.destroy_process_group()


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this PyTorch has no distributed training")
def test_gradients_are_those_of_one_process(tmp_path) -> None:
    torch.multiprocessing.spawn(work, (tmp_path,), nprocs=2)
    net = network()
    net(torch.linspace(-1, 1, 24).reshape(8, 1, 3)).square().mean().backward()
    for own, its in zip(net.parameters(), torch.load(tmp_path / "gradients")):
        torch.testing.assert_close(own.grad, its)
