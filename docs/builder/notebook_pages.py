"""Pages of the notebooks; ``python -m docs.builder.notebook_pages`` runs them and writes their plots.

The plots are committed as ``docs/images/<notebook>-<number>.svg``, so that a build needs no plotting library.
To write them install the extra ``notebook``.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["NOTEBOOKS", "pages", "write_plots"]

DOCS = Path(__file__).parents[1]
NOTEBOOKS = tuple(sorted((DOCS / "notebooks").glob("*.ipynb")))
_DRAWS = "plt.subplots("
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def pages() -> dict[str, str]:
    """Return path -> text of a page for each notebook."""
    return {f"notebooks/{path.stem}.md": "\n\n".join(_parts(path)) + "\n" for path in NOTEBOOKS}


def _cells(path: Path) -> Iterator[tuple[str, str]]:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        yield cell["cell_type"], "".join(cell["source"])


def _parts(path: Path) -> Iterator[str]:
    plots, heading = 0, ""
    for number, (kind, source) in enumerate(_cells(path)):
        if kind == "code":
            yield f"```python\n{source}\n```"
            if _DRAWS in source:
                plots += 1
                yield f"![{heading}: the plot](../images/{_plot(path, plots)})"
            continue
        yield source
        heading = [heading, *_HEADING.findall(source)][-1]
        if number == 0:
            yield f"This page is the notebook, with its plots; [{path.name}]({path.name}) is the file."


def _plot(path: Path, number: int) -> str:
    return f"{path.stem.replace('_', '-')}-{number}.svg"


async def write_plots(path: Path) -> None:
    """Run the cells of a notebook as Jupyter would, and write what they draw."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": path.stem, "svg.fonttype": "none", "figure.autolayout": True}
    from matplotlib import pyplot

    names: dict[str, Any] = {}
    plots = 0
    for kind, source in _cells(path):
        if kind != "code":
            continue
        code = compile(source, path.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        result = eval(code, names)  # noqa: S307 - a notebook of ours; exec would drop its coroutine
        if inspect.isawaitable(result):
            await result
        for figure in map(pyplot.figure, pyplot.get_fignums()):
            plots += 1
            figure.savefig(DOCS / "images" / _plot(path, plots), metadata={"Date": None})
            pyplot.close(figure)


if __name__ == "__main__":
    for notebook in NOTEBOOKS:
        asyncio.run(write_plots(notebook))
