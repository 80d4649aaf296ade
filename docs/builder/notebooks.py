"""Run the notebooks, and write a page of each with its results: ``python -m docs.builder.notebooks``.

The pages and their plots are committed, so that a build of the site needs no plotting library. This needs the
extra ``notebook``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "notebooks"
SVG = "--InlineBackend.figure_formats=svg"


def page(path: Path) -> str:
    """Return the page of a notebook, and write its plots."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, kernel_name="python3", extra_arguments=[SVG]).execute()
    link = f"This page is the notebook, with its results; [{path.name}]({path.name}) is the file."
    first, *others = _parts(path.stem, notebook.cells)
    return "\n\n".join([first, link, *others]) + "\n"


def _parts(name: str, cells: list[Any]) -> Iterator[str]:
    heading, plots = "", 0
    for cell in cells:
        if cell.cell_type == "markdown":
            yield cell.source
            heading = [heading, *re.findall(r"^#+ (.+)$", cell.source, re.MULTILINE)][-1]
            continue
        yield f"```python\n{cell.source}\n```"
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/svg+xml" in data:
                plots += 1
                image = f"../images/{name.replace('_', '-')}-{plots}.svg"
                (FOLDER / image).write_text(data["image/svg+xml"], encoding="utf-8")
                yield f"![{heading}: the plot]({image})"
            else:
                text = output.get("text") or data["text/plain"]
                yield f"```text\n{text.rstrip()}\n```"


if __name__ == "__main__":
    for notebook in FOLDER.glob("*.ipynb"):
        notebook.with_suffix(".md").write_text(page(notebook), encoding="utf-8")
