"""Pages of the notebooks; ``python -m docs.builder.notebook_pages`` runs them and writes their results.

The plots are committed as ``docs/images/<notebook>-<number>.svg``, and what the cells print as
``docs/notebooks/<notebook>.results.json``, so that a build needs no plotting library. To write them
install the extra ``notebook``.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from pprint import pprint
from typing import Any

__all__ = ["NOTEBOOKS", "pages", "results", "write_results"]

DOCS = Path(__file__).parents[1]
NOTEBOOKS = tuple(sorted((DOCS / "notebooks").glob("*.ipynb")))
_DRAWS = "plt.subplots("
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def pages() -> dict[str, str]:
    """Return path -> text of a page for each notebook."""
    return {f"notebooks/{path.stem}.md": "\n\n".join(_parts(path)) + "\n" for path in NOTEBOOKS}


def results(path: Path) -> dict[str, str]:
    """Return cell id -> what the cell printed, of the cells that print or end with a value."""
    texts: dict[str, str] = json.loads(_results(path).read_text(encoding="utf-8"))
    return texts


def _cells(path: Path) -> Iterator[tuple[str, str, str]]:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        yield cell["id"], cell["cell_type"], "".join(cell["source"])


def _parts(path: Path) -> Iterator[str]:
    plots, heading, printed = 0, "", results(path)
    for number, (name, kind, source) in enumerate(_cells(path)):
        if kind == "code":
            yield f"```python\n{source}\n```"
            if name in printed:
                yield f"```text\n{printed[name]}```"
            if _DRAWS in source:
                plots += 1
                yield f"![{heading}: the plot](../images/{_plot(path, plots)})"
            continue
        yield source
        heading = [heading, *_HEADING.findall(source)][-1]
        if number == 0:
            yield f"This page is the notebook, with its results; [{path.name}]({path.name}) is the file."


def _plot(path: Path, number: int) -> str:
    return f"{path.stem.replace('_', '-')}-{number}.svg"


def _results(path: Path) -> Path:
    return path.with_suffix(".results.json")


async def _run(source: str, names: dict[str, Any]) -> None:
    """Run a cell, and print the value of its last line as Jupyter shows it."""
    tree = ast.parse(source)
    shown = ast.unparse(tree.body.pop()) if isinstance(tree.body[-1], ast.Expr) else "None"
    value = None
    for code, mode in ((ast.unparse(tree), "exec"), (shown, "eval")):
        value = eval(compile(code, "cell", mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)  # noqa: S307 - ours
        if inspect.isawaitable(value):
            value = await value
    if value is not None and not source.endswith(";"):
        pprint(value, width=100, sort_dicts=False)


async def write_results(path: Path) -> None:
    """Run the cells of a notebook as Jupyter would, and write what they draw and print."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": path.stem, "svg.fonttype": "none", "figure.autolayout": True}
    from matplotlib import pyplot

    names: dict[str, Any] = {}
    plots, texts = 0, {}
    for name, kind, source in _cells(path):
        if kind != "code":
            continue
        with redirect_stdout(StringIO()) as printed:
            await _run(source, names)
        if text := printed.getvalue():
            texts[name] = text
        for figure in map(pyplot.figure, pyplot.get_fignums()):
            plots += 1
            figure.savefig(DOCS / "images" / _plot(path, plots), metadata={"Date": None})
            pyplot.close(figure)
    _results(path).write_text(json.dumps(texts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for notebook in NOTEBOOKS:
        asyncio.run(write_results(notebook))
