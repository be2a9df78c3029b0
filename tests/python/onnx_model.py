"""Runs ONNX models with PyTorch, for the operators that gcan writes: the check of exported files where there is no
onnxruntime. It reads the file by itself, so that it shares no code with the writer."""

import struct
from typing import Any, Dict, Iterator, List, Tuple

import torch
from torch import Tensor
from torch.nn import functional as F


def fields(data: bytes) -> Iterator[Tuple[int, Any]]:
    """The fields of a protobuf message: whole numbers, or bytes."""
    at = 0

    def varint() -> int:
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            value: Any = varint()
            value = value - (1 << 64) if value >= 1 << 63 else value
        elif kind == 2:
            length = varint()
            value, at = data[at : at + length], at + length
            assert len(value) == length
        else:
            size = 8 if kind == 1 else 4
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def every(data: bytes, number: int) -> List[Any]:
    return [value for field, value in fields(data) if field == number]


def only(data: bytes, number: int, standard: Any = b"") -> Any:
    found = every(data, number)
    return found[-1] if found else standard


TYPES = {1: torch.float32, 7: torch.int64, 9: torch.bool, 11: torch.float64}


def tensor(data: bytes) -> Tuple[str, Tensor]:
    raw = only(data, 9)
    flat = torch.frombuffer(bytearray(raw), dtype=TYPES[only(data, 2)]) if raw else torch.empty(0, dtype=TYPES[only(data, 2)])
    return only(data, 8).decode(), flat.reshape([int(size) for size in every(data, 1)])


def attribute(data: bytes) -> Tuple[str, Any]:
    kind = only(data, 20)
    value = {
        1: lambda: struct.unpack("<f", only(data, 2))[0],
        2: lambda: only(data, 3, 0),
        3: lambda: only(data, 4).decode(),
        7: lambda: every(data, 8),
    }[kind]()
    return only(data, 1).decode(), value


def _slice(x: Tensor, starts: Tensor, ends: Tensor, axes: Tensor = None, steps: Tensor = None) -> Tensor:
    axes = torch.arange(len(starts)) if axes is None else axes
    for i, axis in enumerate(axes.tolist()):
        step = 1 if steps is None else int(steps[i])
        parts = [slice(None)] * x.dim()
        parts[axis] = slice(int(starts[i]), int(ends[i]), step)
        x = x[tuple(parts)]
    return x


def _gather(x: Tensor, index: Tensor, axis: int) -> Tensor:
    axis = axis + x.dim() if axis < 0 else axis
    taken = x.index_select(axis, index.reshape(-1))
    return taken.reshape(x.shape[:axis] + index.shape + x.shape[axis + 1 :])


def _reshape(x: Tensor, sizes: Tensor) -> Tensor:
    return x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(sizes.tolist())])


def _conv(x: Tensor, w: Tensor, b: Tensor, a: Dict[str, Any], transposed: bool) -> Tensor:
    n = w.dim() - 2
    assert a["pads"][:n] == a["pads"][n:]
    kind = "conv_transpose" if transposed else "conv"
    more = {"output_padding": a["output_padding"]} if transposed else {}
    return getattr(F, f"{kind}{n}d")(
        x, w, b, stride=a["strides"], padding=a["pads"][:n], dilation=a["dilations"], groups=a["group"], **more
    )


def _pad(x: Tensor, pads: Tensor, value: Tensor) -> Tensor:
    n, given = x.dim(), pads.tolist()
    return F.pad(x, [number for i in reversed(range(n)) for number in (given[i], given[i + n])], value=float(value))


def evaluate(kind: str, inputs: List[Tensor], a: Dict[str, Any]) -> Tensor:
    x = inputs[0]
    keeps = bool(a.get("keepdims", 1))
    table = {
        "Sigmoid": lambda: x.sigmoid(), "Relu": lambda: x.relu(), "Sqrt": lambda: x.sqrt(), "Neg": lambda: -x,
        "Abs": lambda: x.abs(), "Exp": lambda: x.exp(), "Erf": lambda: x.erf(), "Reciprocal": lambda: 1 / x,
        "Identity": lambda: x, "Mul": lambda: x * inputs[1], "Div": lambda: x / inputs[1], "Sub": lambda: x - inputs[1],
        "Add": lambda: x + inputs[1], "MatMul": lambda: x @ inputs[1], "Greater": lambda: x > inputs[1],
        "GreaterOrEqual": lambda: x >= inputs[1], "Pow": lambda: x ** inputs[1], "Max": lambda: torch.maximum(x, inputs[1]),
        "Shape": lambda: torch.tensor(x.shape), "Gather": lambda: _gather(x, inputs[1], a.get("axis", 0)),
        "Conv": lambda: _conv(x, inputs[1], inputs[2] if len(inputs) > 2 else None, a, False),
        "ConvTranspose": lambda: _conv(x, inputs[1], inputs[2] if len(inputs) > 2 else None, a, True),
        "Transpose": lambda: x.permute(a["perm"]), "Reshape": lambda: _reshape(x, inputs[1]),
        "Gemm": lambda: a["alpha"] * (x @ inputs[1]) + a["beta"] * inputs[2],
        "InstanceNormalization": lambda: F.instance_norm(x, weight=inputs[1], bias=inputs[2], eps=a["epsilon"]),
        "Concat": lambda: torch.cat(inputs, a["axis"]),
        "Unsqueeze": lambda: x.unsqueeze(int(inputs[1])), "Squeeze": lambda: x.squeeze(int(inputs[1])),
        "Slice": lambda: _slice(*inputs), "Pad": lambda: _pad(*inputs),
        "ReduceMean": lambda: x.mean(a["axes"], keeps), "ReduceMax": lambda: x.amax(a["axes"], keeps),
        "ReduceL2": lambda: x.square().sum(a["axes"], keeps).sqrt(),
        "ReduceSum": lambda: x.sum(inputs[1].tolist(), keeps),
        "Where": lambda: torch.where(x, inputs[1], inputs[2]), "LeakyRelu": lambda: F.leaky_relu(x, a["alpha"]),
        "Expand": lambda: torch.broadcast_to(x, torch.broadcast_shapes(x.shape, tuple(inputs[1].tolist()))),
        "Einsum": lambda: torch.einsum(a["equation"], *inputs),
        "ScatterElements": lambda: x.scatter(a["axis"], inputs[1], inputs[2]),
        "Range": lambda: torch.arange(int(x), int(inputs[1]), int(inputs[2])),
    }  # fmt: skip
    return table[kind]()


class OnnxModel:
    """An ONNX file as a function."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        graph = only(data, 7)
        self.operators = only(only(data, 8), 2)
        self.constants = dict(tensor(part) for part in every(graph, 5))
        self.nodes = every(graph, 1)
        self.inputs = [only(part, 1).decode() for part in every(graph, 11)]
        self.outputs = [only(part, 1).decode() for part in every(graph, 12)]

    def __call__(self, x: Tensor) -> Tensor:
        values = {**self.constants, self.inputs[0]: x}
        for node in self.nodes:
            inputs = [values[name.decode()] for name in every(node, 1)]
            (output,) = every(node, 2)
            values[output.decode()] = evaluate(only(node, 4).decode(), inputs, dict(map(attribute, every(node, 5))))
        return values[self.outputs[0]]
