"""The networks of the Tetris experiments: (N, fields, steps, points, 3) to the same number of further steps; the fields
are positions, or positions and velocities."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Any, List, Sequence, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from gcan.algebra import Algebra
from gcan.nn import GcaLinear, GcaNorm, MSiLU

__all__ = ["EdgeConv", "Emlp", "GcaGnn", "GcaMlp", "Gnn", "Mlp", "MotorMlp", "TetrisNetwork"]

LEAKY_SLOPE = 0.01


class TetrisNetwork(nn.Module):
    """The shape of a network's scenes, and its check."""

    def __init__(self, steps_in: int = 4, steps_out: int = 4, points: int = 32, velocities: bool = False) -> None:
        super().__init__()
        if min(steps_in, steps_out, points) < 1:
            raise ValueError("gcan: a network needs at least one step in, one step out and one point")
        self.steps_in, self.steps_out, self.points = steps_in, steps_out, points
        self.fields = 2 if velocities else 1

    @property
    def inputs(self) -> int:
        return self.fields * self.steps_in * self.points * 3

    @property
    def outputs(self) -> int:
        return self.fields * self.steps_out * self.points * 3

    def predict(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        expected = (self.fields, self.steps_in, self.points, 3)
        if x.dim() != 5 or tuple(x.shape[1:]) != expected:
            raise ValueError(f"gcan: {type(self).__name__} got a tensor of shape {tuple(x.shape)}, expected (*, {str(expected)[1:]}")
        return self.predict(x)

    def as_scene(self, y: Tensor) -> Tensor:
        return y.reshape(y.shape[0], self.fields, self.steps_out, self.points, 3)

    def _refuse_velocities(self) -> None:
        if self.fields != 1:
            raise ValueError(f"gcan: {type(self).__name__} takes positions only")


def points_last(x: Tensor) -> Tensor:
    """(N, fields, steps, points, 3) -> (steps * 3, fields, N, points)."""
    return x.permute(2, 4, 1, 0, 3).reshape(x.shape[2] * 3, x.shape[1], x.shape[0], x.shape[3])


def points_back(y: Tensor, steps: int) -> Tensor:
    return y.unflatten(0, (steps, 3)).permute(3, 2, 0, 4, 1).contiguous()


def _plain_layers(inputs: int, outputs: int, width: int, layers: int) -> nn.Sequential:
    parts: List[nn.Module] = []
    for i in range(layers):
        parts += [nn.Linear(inputs if i == 0 else width, width), nn.ReLU()]
    return nn.Sequential(*parts, nn.Linear(width, outputs))


class Mlp(TetrisNetwork):
    """Linear layers and ReLU on all coordinates as one vector.

    >>> Mlp(width=16)(torch.randn(2, 1, 4, 32, 3)).shape
    torch.Size([2, 1, 4, 32, 3])
    """

    def __init__(self, width: int = 384, layers: int = 2, **scene: Any) -> None:
        super().__init__(**scene)
        self.layers = _plain_layers(self.inputs, self.outputs, width, layers)

    def predict(self, x: Tensor) -> Tensor:
        return self.as_scene(self.layers(x.flatten(1)))


class MotorMlp(TetrisNetwork):
    """An MLP that predicts a rotation and a translation for every point.

    >>> MotorMlp(width=16)(torch.randn(2, 1, 4, 32, 3)).shape
    torch.Size([2, 1, 4, 32, 3])
    """

    def __init__(self, width: int = 256, layers: int = 2, **scene: Any) -> None:
        super().__init__(**scene)
        self._refuse_velocities()
        self.layers = _plain_layers(self.inputs, self.outputs * 3, width, layers)

    def predict(self, x: Tensor) -> Tensor:
        motion = self.layers(x.flatten(1)).reshape(x.shape[0], self.steps_out, self.points, 9)
        start = x[:, 0]
        if self.steps_out != self.steps_in:
            step = torch.arange(self.steps_out, device=x.device).clamp_max(self.steps_in - 1)
            start = start.index_select(1, step)
        first = F.normalize(motion[..., 0:3], dim=-1, eps=1e-8)
        second = motion[..., 3:6]
        second = F.normalize(second - (first * second).sum(-1, keepdim=True) * first, dim=-1, eps=1e-8)
        rotation = torch.stack((first, second, torch.cross(first, second, dim=-1)), -1)
        return ((rotation @ start.unsqueeze(-1)).squeeze(-1) + motion[..., 6:9]).unsqueeze(1)


class _GcaNetwork(TetrisNetwork):
    """GCA layers on points, with the points last: features are (channels * 3, fields * columns). Velocities use the
    kernel of the positions, without its bias."""

    def __init__(
        self,
        delta0: float = 0.0,
        inverse: str = "reverse",
        gate: str = "channel",
        aggregation: str = "linear",
        norm: bool = False,
        frame: str = "same",
        **scene: Any,
    ) -> None:
        super().__init__(**scene)
        self.delta0, self.inverse, self.gates, self.aggregation = delta0, inverse, gate, aggregation
        self.norm, self.mirrors = norm, frame == "paper" and self.fields == 2
        pga = self.pga = Algebra(3, 0, 1)
        self.objects: Sequence[int] = pga.points()
        if self.fields == 2:
            vectors = pga.blades(1)
            self.objects = [blade for i in range(3) for blade in (pga.points()[i], vectors[3 - i])]

    def linear(self, inputs: int, outputs: int) -> GcaLinear:
        return GcaLinear(self.pga, inputs, outputs, inverse=self.inverse, delta0=self.delta0)

    def gate(self, channels: int) -> MSiLU:
        return MSiLU(self.pga, channels, self.objects, self.aggregation, self.gates)

    def normalisation(self, channels: int) -> GcaNorm:
        return GcaNorm(self.pga, channels, self.objects, space=False)

    def columnwise(self, layer: nn.Module, x: Tensor) -> Tensor:
        """A layer on (channels, blades, columns), x as (channels * 3, fields * columns)."""
        return layer(x.reshape(1, x.shape[0] // 3, 3 * self.fields, x.shape[1] // self.fields)).reshape(x.shape)

    def mirrored(self, x: Tensor) -> Tensor:
        """Velocities as the paper embeds them, mirrored; x is (steps * 3, fields, ...)."""
        if not self.mirrors:
            return x
        signs = torch.tensor([-1.0, 1.0, -1.0], dtype=x.dtype, device=x.device).view(1, 3, 1)
        velocities = x[:, 1].reshape(x.shape[0] // 3, 3, -1)
        return torch.stack((x[:, 0], (velocities.flip(1) * signs).reshape(x[:, 1].shape)), 1)


class GcaMlp(_GcaNetwork):
    """GcaLinear layers with MSiLU between them, one channel per point and step.

    >>> GcaMlp(channels=16)(torch.randn(2, 1, 4, 32, 3)).shape
    torch.Size([2, 1, 4, 32, 3])
    """

    def __init__(self, channels: int = 128, layers: int = 2, **settings: Any) -> None:
        super().__init__(**settings)
        self.layers = layers
        width = self.steps_in * self.points
        for i in range(layers):
            self.add_module(f"linear{i}", self.linear(width, channels))
            self.add_module(f"gate{i}", self.gate(channels))
            if self.norm:
                self.add_module(f"norm{i}", self.normalisation(channels))
            width = channels
        self.add_module(f"linear{layers}", self.linear(width, self.steps_out * self.points))

    def predict(self, x: Tensor) -> Tensor:
        h = x.permute(2, 3, 4, 1, 0).reshape(self.inputs // self.fields, self.fields, x.shape[0])
        h = self.mirrored(h).flatten(1)
        for i in range(self.layers + 1):
            h = getattr(self, f"linear{i}").forward_columns(h, h.shape[1] // self.fields)
            if i == self.layers:
                break
            if self.norm:
                h = self.columnwise(getattr(self, f"norm{i}"), h)
            h = self.columnwise(getattr(self, f"gate{i}"), h)
        h = self.mirrored(h.reshape(h.shape[0], self.fields, x.shape[0]))
        return self.as_scene(h.permute(2, 1, 0).contiguous())


class _GcaTwoLayers(nn.Module):
    def __init__(self, owner: _GcaNetwork, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.first, self.second = owner.linear(inputs, hidden), owner.linear(hidden, outputs)
        self.gate = owner.gate(hidden)


def gated_messages(gate: MSiLU, a: Tensor, b: Tensor) -> Tensor:
    """sum_(j != i) gate(a_i + b_j), a and b (channels, blades, samples, points)."""
    weight, bias = gate.forms(a)
    to_i = torch.einsum("ckl,clsi->cksi", weight, a) + bias[..., None, None]
    to_j = torch.einsum("ckl,clsj->cksj", weight, b)
    loops = torch.eye(a.shape[3], device=a.device).to(a.dtype)  # eye() has no bfloat16 in PyTorch 1.13
    opened = torch.sigmoid(to_i.unsqueeze(-1) + to_j.unsqueeze(-2)) * (1 - loops)
    opened = opened.index_select(1, torch.tensor(gate.parts, device=a.device))
    return a * opened.sum(-1) + (opened @ b.unsqueeze(-1)).squeeze(-1)


class GcaGnn(_GcaNetwork):
    """Message passing between all points with GCA linear layers and MSiLU.

    >>> GcaGnn(channels=8, layers=1)(torch.randn(2, 1, 4, 32, 3)).shape
    torch.Size([2, 1, 4, 32, 3])
    """

    def __init__(self, channels: int = 64, layers: int = 4, **settings: Any) -> None:
        super().__init__(**settings)
        self.channels, self.layers = channels, layers
        self.embed = self.linear(self.steps_in, channels)
        self.project = self.linear(channels, self.steps_out)
        for i in range(layers):
            self.add_module(f"message{i}", _GcaTwoLayers(self, 2 * channels, channels, channels))
            self.add_module(f"update{i}", _GcaTwoLayers(self, 2 * channels, channels, channels))
            if self.norm:
                self.add_module(f"norm{i}", self.normalisation(channels))

    def pass_messages(self, i: int, h: Tensor, samples: int) -> Tensor:
        fields, points, positions = self.fields, self.points, h.shape[1] // self.fields
        message, update = getattr(self, f"message{i}"), getattr(self, f"update{i}")
        ends = message.first.forward_columns(h, positions, 1.0, 2)
        ends = ends.reshape(self.channels, 3, 2, fields, samples, points)
        a, b = ends[:, :, 0].flatten(1, 2), ends[:, :, 1].flatten(1, 2)
        total = gated_messages(message.gate, a, b).reshape(h.shape)
        m = message.second.forward_columns(total, positions, float(points - 1))
        new = update.first.forward_columns(torch.cat((h, m)), positions)
        new = update.second.forward_columns(self.columnwise(update.gate, new), positions)
        return self.columnwise(getattr(self, f"norm{i}"), new) if self.norm else new

    def predict(self, x: Tensor) -> Tensor:
        h = self.mirrored(points_last(x)).flatten(1)
        h = self.embed.forward_columns(h, h.shape[1] // self.fields)
        for i in range(self.layers):
            h = self.pass_messages(i, h, x.shape[0])
        h = self.project.forward_columns(h, h.shape[1] // self.fields)
        h = self.mirrored(h.reshape(h.shape[0], self.fields, x.shape[0], self.points))
        return points_back(h, self.steps_out)


class _TwoLayers(nn.Module):
    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(inputs, hidden), nn.Linear(hidden, outputs)


def _columns(layer: nn.Linear, x: Tensor) -> Tensor:
    return torch.addmm(layer.bias.unsqueeze(1), layer.weight, x)


class Gnn(TetrisNetwork):
    """Message passing between all points with linear layers and LeakyReLU.

    >>> Gnn(width=8, layers=1, distances=True)(torch.randn(2, 1, 4, 32, 3)).shape
    torch.Size([2, 1, 4, 32, 3])
    """

    def __init__(self, width: int = 136, layers: int = 4, distances: bool = False, **scene: Any) -> None:
        super().__init__(**scene)
        self.width, self.layers, self.distances = width, layers, distances
        self.embed = nn.Linear(self.inputs // self.points, width)
        self.project = nn.Linear(width, self.outputs // self.points)
        for i in range(layers):
            self.add_module(f"message{i}", _TwoLayers(2 * width + int(distances), width, width))
            self.add_module(f"update{i}", _TwoLayers(2 * width, width, width))

    def pass_messages(self, i: int, h: Tensor, distance: Tensor, samples: int) -> Tensor:
        message, update = getattr(self, f"message{i}"), getattr(self, f"update{i}")
        edge = message.first.weight.split(self.width, 1)
        shape = (self.width, samples, self.points)
        a = torch.addmm(message.first.bias.unsqueeze(1), edge[0], h).reshape(shape)
        z = a.unsqueeze(-1) + (edge[1] @ h).reshape(shape).unsqueeze(-2)
        if self.distances:
            z = z + edge[2].reshape(self.width, 1, 1, 1) * distance.transpose(1, 2)
        loops = torch.eye(self.points, device=h.device).to(h.dtype)
        total = (F.leaky_relu(z, LEAKY_SLOPE) * (1 - loops)).sum(-1).reshape(h.shape)
        bias = message.second.bias * float(self.points - 1)
        m = torch.addmm(bias.unsqueeze(1), message.second.weight, total)
        node = update.first.weight.split(self.width, 1)
        new = torch.addmm(update.first.bias.unsqueeze(1), node[0], h) + node[1] @ m
        return _columns(update.second, F.leaky_relu(new, LEAKY_SLOPE))

    def predict(self, x: Tensor) -> Tensor:
        samples = x.shape[0]
        last = x[:, 0, -1]
        distance = (last.unsqueeze(2) - last.unsqueeze(1)).square().sum(-1).sqrt() if self.distances else last
        h = points_last(x).reshape(self.inputs // self.points, samples * self.points)
        h = _columns(self.embed, h)
        for i in range(self.layers):
            h = self.pass_messages(i, h, distance, samples)
        h = _columns(self.project, h)
        return points_back(h.reshape(self.steps_out * 3, self.fields, samples, self.points), self.steps_out)


class EdgeConv(TetrisNetwork):
    """Dynamic graph convolution: the maximum of the messages from all points, or from the nearest ones.

    >>> EdgeConv(width=8, layers=1)(torch.randn(2, 1, 4, 32, 3)).shape
    torch.Size([2, 1, 4, 32, 3])
    """

    def __init__(self, width: int = 256, layers: int = 4, neighbours: int = 0, **scene: Any) -> None:
        super().__init__(**scene)
        self.width, self.layers, self.neighbours = width, layers, neighbours or self.points - 1
        if not 1 <= self.neighbours < self.points:
            raise ValueError(f"gcan: EdgeConv of {self.points} points cannot have {self.neighbours} neighbours")
        self.embed = nn.Linear(self.inputs // self.points, width)
        self.project = nn.Linear(width, self.outputs // self.points)
        for i in range(layers):
            self.add_module(f"edge{i}", _TwoLayers(2 * width, width, width))

    def starts(self, h: Tensor, samples: int) -> Tensor:
        """For each point of each scene, the points that send it messages, (points of all scenes, neighbours)."""
        points = self.points
        if self.neighbours == points - 1:
            every = torch.arange(points - 1, device=h.device).unsqueeze(0)
            of_point = (every + (every >= torch.arange(points, device=h.device).unsqueeze(1))).unsqueeze(0)
        else:
            place = h.detach().reshape(samples, points, -1)
            distance = torch.cdist(place, place)
            distance = distance + torch.diag(torch.full((points,), float("inf"), dtype=h.dtype, device=h.device))
            of_point = distance.topk(self.neighbours, 2, largest=False).indices
        first = points * torch.arange(samples, device=h.device).reshape(samples, 1, 1)
        return (of_point + first).reshape(samples * points, self.neighbours)

    def predict(self, x: Tensor) -> Tensor:
        samples = x.shape[0]
        h = self.embed(points_last(x).reshape(self.inputs // self.points, samples * self.points).t())
        for i in range(self.layers):
            edge = getattr(self, f"edge{i}")
            own, other = edge.first.weight.split(self.width, 1)
            ends = torch.addmm(edge.first.bias, h, (own - other).t())
            messages = F.leaky_relu((h @ other.t())[self.starts(h, samples)] + ends.unsqueeze(1), LEAKY_SLOPE)
            h = (messages @ edge.second.weight.t()).amax(1) + edge.second.bias
        h = _columns(self.project, h.t())
        return points_back(h.reshape(self.steps_out * 3, self.fields, samples, self.points), self.steps_out)


# ---- the equivariant MLP of Finzi, Welling and Wilson (2021) ---------------------------------------------------

MAX_RANK = 3


class Representation:
    """Tensors of rank 0 to 3, a given number of each, ordered by rank; within a rank component by component, or copy by
    copy."""

    def __init__(self, copies: Sequence[int], copy_by_copy: bool = False) -> None:
        self.copies, self.copy_by_copy = tuple(copies), copy_by_copy

    def start(self, rank: int) -> int:
        return sum(self.copies[r] * 3**r for r in range(rank))

    @property
    def size(self) -> int:
        return self.start(MAX_RANK + 1)

    def index(self, rank: int) -> Tensor:
        """The positions of the components of the copies, (copies, 3^rank)."""
        copies, size = self.copies[rank], 3**rank
        copy, component = torch.arange(copies).unsqueeze(1), torch.arange(size).unsqueeze(0)
        return self.start(rank) + (copy * size + component if self.copy_by_copy else component * copies + copy)

    @classmethod
    def vectors(cls, count: int) -> "Representation":
        return cls((0, count, 0, 0), True)

    @classmethod
    def uniform(cls, size: int) -> "Representation":
        """About the same number of components for each rank."""
        if not 1 <= size < 5 * 3 ** (MAX_RANK + 1):
            raise ValueError(f"gcan: a uniform representation has 1 to 404 numbers, not {size}")
        copies = [0] * (MAX_RANK + 1)
        while size > 0:
            rank = 0
            while (rank + 2) * 3 ** (rank + 1) <= size:
                rank += 1
            for r in range(rank + 1):
                copies[r] += 3 ** (rank - r)
            size -= (rank + 1) * 3**rank
        return cls(copies)

    def gated(self) -> "Representation":
        return Representation((self.copies[0] + sum(self.copies[1:]), *self.copies[1:]))

    def of_rank(self, rank: int, x: Tensor) -> Tensor:
        """(N, 3^rank, copies)"""
        copies, size = self.copies[rank], 3**rank
        return x.narrow(1, self.start(rank), copies * size).reshape(x.shape[0], size, copies)


def _pairings(positions: Tuple[int, ...]) -> List[Tuple[int, ...]]:
    if not positions:
        return [()]
    found = []
    for k in range(1, len(positions)):
        rest = positions[1:k] + positions[k + 1 :]
        found += [(positions[0], positions[k], *pairs) for pairs in _pairings(rest)]
    return found


def _product_of(positions: Tuple[int, ...]) -> Tensor:
    """Deltas on pairs of positions, and an epsilon on the first three if the number of positions is odd."""
    rank = len(positions)
    digits = torch.cartesian_prod(*([torch.arange(3)] * rank)).reshape(-1, max(rank, 1)) if rank else torch.zeros(1, 1)
    value = torch.ones(3**rank, dtype=torch.float64)
    first = 0
    if rank % 2:
        a, b, c = (digits[:, positions[i]] for i in range(3))
        value = ((a - b) * (b - c) * (c - a)).double() / 2
        first = 3
    for i in range(first, rank, 2):
        value = value * (digits[:, positions[i]] == digits[:, positions[i + 1]])
    return value


@lru_cache(maxsize=None)
def _invariants(mirrors: bool, rank: int) -> Tensor:
    """An orthonormal basis of the tensors that are invariant under the group, (3^rank, dimension)."""
    positions = tuple(range(rank))
    if rank % 2 == 0:
        span = [_product_of(pairs) for pairs in _pairings(positions)]
    elif mirrors:
        span = []
    else:
        span = [
            _product_of((*three, *pairs))
            for three in combinations(positions, 3)
            for pairs in _pairings(tuple(p for p in positions if p not in three))
        ]
    if not span:
        return torch.zeros(3**rank, 0, dtype=torch.float64)
    left, singular, _ = torch.linalg.svd(torch.stack(span, 1), full_matrices=False)
    return left[:, : int((singular > 1e-6).sum())].contiguous()


class _Projection:
    """The orthogonal projection of matrices onto those that commute with the group."""

    def __init__(self, mirrors: bool, out: Representation, inputs: Representation) -> None:
        self.blocks: List[Tuple[Tensor, Tensor]] = []
        for rank in range(2 * MAX_RANK + 1):
            basis = _invariants(mirrors, rank)
            places = []
            for q in range(max(0, rank - MAX_RANK), min(rank, MAX_RANK) + 1):
                rows, columns = out.index(q), inputs.index(rank - q)
                # (outputs, inputs, components of the output, components of the input)
                where = rows[:, None, :, None] * inputs.size + columns[None, :, None, :]
                places.append(where.reshape(-1))
            where = torch.cat(places)
            if where.numel() and basis.shape[1]:
                self.blocks.append((where, basis))

    def __call__(self, matrix: Tensor) -> Tensor:
        flat = matrix.reshape(-1)
        to = torch.zeros_like(flat)
        for where, basis in self.blocks:
            where, onto = where.to(flat.device), basis.to(flat)
            tensors = flat.index_select(0, where).reshape(-1, onto.shape[0])
            to = to.index_copy(0, where, (tensors @ onto @ onto.t()).reshape(-1))
        return to.reshape(matrix.shape)


class _EquivariantLinear(nn.Module):
    def __init__(self, mirrors: bool, inputs: Representation, outputs: Representation) -> None:
        super().__init__()
        self._weight = _Projection(mirrors, outputs, inputs)
        self._bias = _Projection(mirrors, outputs, Representation((1, 0, 0, 0)))
        self.weight = nn.Parameter(nn.init.orthogonal_(torch.empty(outputs.size, inputs.size)))
        self.bias = nn.Parameter(torch.rand(outputs.size) / outputs.size**0.5)

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self._weight(self.weight), self._bias(self.bias.unsqueeze(1)).squeeze(1))


class _Bilinear(nn.Module):
    """y = W(x) x / 10, where W is built from tensors in x itself."""

    def __init__(self, representation: Representation) -> None:
        super().__init__()
        self.representation = rep = representation
        for rank in range(1, MAX_RANK + 1):
            picks = min(rep.copies[rank], 3**rank)
            pairs = sum(rep.copies[q] * rep.copies[rank - q] for q in range(rank + 1))
            self.register_buffer(f"pick{rank}", torch.randperm(rep.copies[rank])[:picks].clone())
            self.register_parameter(f"weight{rank}", nn.Parameter(torch.randn(pairs * picks)))

    def forward(self, x: Tensor) -> Tensor:
        rep = self.representation
        sums: List = [None] * (MAX_RANK + 1)
        for rank in range(1, MAX_RANK + 1):
            pick, weight = getattr(self, f"pick{rank}"), getattr(self, f"weight{rank}")
            picks = pick.numel()
            if picks == 0:
                continue
            picked = rep.of_rank(rank, x).index_select(2, pick.long())
            start = 0
            for q in range(rank + 1):
                p = rank - q
                inputs, outputs = rep.copies[p], rep.copies[q]
                own = weight.narrow(0, start, inputs * picks * outputs).reshape(inputs, picks, outputs)
                start += own.numel()
                matrices = picked.reshape(x.shape[0], 3**q, 3**p, picks)
                part = torch.einsum("nqpk,npv,vku->nqu", matrices, rep.of_rank(p, x), own)
                sums[q] = part if sums[q] is None else sums[q] + part
        ranks = [torch.zeros_like(rep.of_rank(q, x)) if part is None else part for q, part in enumerate(sums)]
        return torch.cat([part.flatten(1) for part in ranks], 1) * 0.1


class Emlp(TetrisNetwork):
    """An MLP that commutes with rotations of the scene, and with mirrors=True (O(3)) also with reflections.

    >>> Emlp(width=24, layers=1)(torch.randn(2, 1, 4, 32, 3)).shape
    torch.Size([2, 1, 4, 32, 3])
    """

    def __init__(self, width: int = 256, layers: int = 3, mirrors: bool = False, **scene: Any) -> None:
        super().__init__(**scene)
        self._refuse_velocities()
        self.layers, self.hidden = layers, Representation.uniform(width)
        inputs = Representation.vectors(self.steps_in * self.points)
        for i in range(layers):
            self.add_module(f"linear{i}", _EquivariantLinear(mirrors, inputs, self.hidden.gated()))
            self.add_module(f"bilinear{i}", _Bilinear(self.hidden.gated()))
            inputs = self.hidden
        outputs = Representation.vectors(self.steps_out * self.points)
        self.add_module(f"linear{layers}", _EquivariantLinear(mirrors, inputs, outputs))

    def gated(self, x: Tensor) -> Tensor:
        wide = self.hidden.gated()
        gates = torch.sigmoid(x[:, : wide.copies[0]])
        ranks, gate = [], 0
        for rank, copies in enumerate(self.hidden.copies):
            tensors = x[:, :copies].unsqueeze(1) if rank == 0 else wide.of_rank(rank, x)
            ranks.append((tensors * gates[:, gate : gate + copies].unsqueeze(1)).flatten(1))
            gate += copies
        return torch.cat(ranks, 1)

    def predict(self, x: Tensor) -> Tensor:
        h = x.flatten(1)
        for i in range(self.layers):
            h = getattr(self, f"linear{i}")(h)
            h = self.gated(h + getattr(self, f"bilinear{i}")(h))
        return self.as_scene(getattr(self, f"linear{self.layers}")(h))
