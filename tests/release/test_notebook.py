"""The notebook is in git without outputs; ``.ci/wheel.py`` runs it and looks for its plots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def left_over(notebook: dict[str, Any]) -> list[str]:
    """What a run or an editor left in a notebook."""
    found = [
        f"metadata: {name}" for name in notebook["metadata"] if name not in ("kernelspec", "language_info")
    ]
    for cell in notebook["cells"]:
        if cell["metadata"]:
            found.append(f"{cell['id']}: metadata")
        if cell["cell_type"] == "code" and (cell["outputs"] or cell["execution_count"]):
            found.append(f"{cell['id']}: outputs")
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_has_no_outputs(path: Path) -> None:
    assert left_over(json.loads(path.read_text(encoding="utf-8"))) == []


def test_outputs_are_found() -> None:
    notebook = json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))
    code = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    code |= {"execution_count": 1, "outputs": [{"output_type": "stream", "text": "1"}]}
    code["metadata"] = {"scrolled": True}
    assert left_over(notebook) == [f"{code['id']}: metadata", f"{code['id']}: outputs"]


def test_the_notebook_is_run_in_ci() -> None:
    """By the program of the extra that it needs, which CI runs for each extra."""
    use = (ROOT / ".ci" / "uses" / "notebook.py").read_text(encoding="utf-8")
    assert [path.name for path in NOTEBOOKS if path.name not in use] == []
    assert ".ci/wheel.py" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
