"""python3 onnxruntime_run.py FOLDER: runs every NAME.onnx in the folder on NAME.input.npy, all samples and the first one
alone, and writes NAME.all.npy and NAME.first.npy. A program of its own, because onnxruntime and PyTorch bring libraries of
the same names."""

import sys
from pathlib import Path

import numpy
import onnxruntime

for model in sorted(Path(sys.argv[1]).glob("*.onnx")):
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    x = numpy.load(model.with_suffix(".input.npy"))
    for name, part in (("all", x), ("first", x[:1])):
        (y,) = session.run(None, {"x": part})
        numpy.save(model.with_suffix(f".{name}.npy"), y)
