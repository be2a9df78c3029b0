"""Runs every cell of the tutorials, with few steps."""

import json
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot")
NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "python").glob("*.ipynb"))


def test_there_are_tutorials() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GCAN_TUTORIAL_STEPS", "3")
    plt.close("all")
    notebook = json.loads(path.read_text())
    assert notebook["nbformat"] == 4
    scope: dict = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), scope)
