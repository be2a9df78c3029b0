"""Reads and writes safetensors files, the format of weights in run folders, without other packages.

>>> import tempfile, os
>>> with tempfile.TemporaryDirectory() as folder:
...     file = os.path.join(folder, "weights.safetensors")
...     save_file({"a": torch.arange(3.0)}, file)
...     load_file(file)
{'a': tensor([0., 1., 2.])}
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Dict, Mapping, Union

import torch
from torch import Tensor

__all__ = ["load_file", "save_file"]

PathLike = Union[str, os.PathLike]

_TYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
_LONGEST_HEADER = 100_000_000


def _bad(path: PathLike, why: str) -> ValueError:
    return ValueError(f"gcan: {os.fspath(path)} is no safetensors file: {why}")


def load_file(path: PathLike) -> Dict[str, Tensor]:
    """All tensors of a file by name.

    >>> load_file("/dev/null")
    Traceback (most recent call last):
        ...
    ValueError: gcan: /dev/null is no safetensors file: it has 0 bytes
    """
    data = bytearray(Path(path).read_bytes())
    if len(data) < 8:
        raise _bad(path, f"it has {len(data)} bytes")
    length = int.from_bytes(data[:8], "little")
    if length > min(_LONGEST_HEADER, len(data) - 8):
        raise _bad(path, f"its header is said to have {length} bytes")
    try:
        header = json.loads(data[8 : 8 + length].decode())
    except ValueError as problem:
        raise _bad(path, f"its header is not JSON ({problem})") from None
    if not isinstance(header, dict):
        raise _bad(path, "its header is not a JSON object")
    tensors, end = {}, 0
    body = memoryview(data)[8 + length :]
    entries = [(name, entry) for name, entry in header.items() if name != "__metadata__"]
    for name, entry in sorted(entries, key=lambda item: item[1].get("data_offsets", [0]) if isinstance(item[1], dict) else [0]):
        try:
            dtype, shape = _TYPES[entry["dtype"]], [int(size) for size in entry["shape"]]
            begin, stop = (int(offset) for offset in entry["data_offsets"])
        except (KeyError, TypeError, ValueError):
            raise _bad(path, f"the entry of {name!r} is damaged") from None
        count = 1
        for size in shape:
            count *= size
        size = torch.empty(0, dtype=dtype).element_size()
        if begin != end or stop - begin != count * size or stop > len(body) or any(size < 0 for size in shape):
            raise _bad(path, f"the numbers of {name!r} are not where its entry says")
        end = stop
        tensors[name] = (
            torch.frombuffer(body[begin:stop], dtype=dtype).clone().reshape(shape) if count else torch.empty(shape, dtype=dtype)
        )
    if end != len(body):
        raise _bad(path, "it has bytes that belong to no tensor")
    return tensors


def save_file(tensors: Mapping[str, Tensor], path: PathLike) -> None:
    """Writes tensors by name; the file only appears under its name when it is complete.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_file({"weight": torch.ones(2, 3)}, folder + "/layer.safetensors")
    ...     os.listdir(folder)
    ['layer.safetensors']
    """
    header, parts, begin = {}, [], 0
    names = {dtype: name for name, dtype in _TYPES.items()}
    for name, tensor in tensors.items():
        flat = tensor.detach().cpu().contiguous()
        if flat.dtype not in names:
            raise ValueError(f"gcan: {name!r} has the type {flat.dtype}, which safetensors files cannot hold")
        data = flat.view(-1).view(torch.uint8).numpy().tobytes() if flat.numel() else b""
        header[name] = {"dtype": names[flat.dtype], "shape": list(flat.shape), "data_offsets": [begin, begin + len(data)]}
        begin += len(data)
        parts.append(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    partial = Path(os.fspath(path) + ".partial")
    partial.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(parts))
    os.replace(partial, path)
