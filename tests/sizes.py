"""Sizes of the project: ``python -m tests.sizes`` prints a table of lines, files, layers and words.

Lines are all lines of hand-written Python files that git knows. Loose modules stand in no folder; layers are
the longest chain of imports among the folders and modules of a package. Words are those of prose: no code
blocks, and no changelog.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PACKAGE = "wosdk_async"
CODE = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)


def files(pattern: str) -> list[Path]:
    """Return the files that git knows below a path or of a pattern."""
    found = subprocess.run(["git", "ls-files", pattern], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in found.stdout.splitlines()]


def python(folder: str, *, without: str = "/nothing/") -> str:
    """Return lines and files of the Python code below a folder."""
    found = [path for path in files(folder) if path.suffix == ".py" and without not in path.as_posix()]
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in found)
    return f"{lines:,} lines, {len(found)} files"


@cache
def imports() -> grimp.ImportGraph:
    """Return the imports of the package."""
    return grimp.build_graph(PACKAGE, exclude_type_checking_imports=True)


def layers(package: str) -> str:
    """Return how many loose modules a package has, and how many layers, or its first circle."""
    graph, above = imports(), dict[str, set[str]]()
    for child in graph.find_children(package):
        inside = graph.find_descendants(child) | {child}
        used = set().union(*(graph.find_modules_directly_imported_by(each) for each in inside))
        above[child] = {
            other
            for other in graph.find_children(package) - {child}
            if used & (graph.find_descendants(other) | {other})
        }
    loose = f"{sum(not graph.find_children(child) for child in above)} loose modules"
    heights = dict[str, int]()
    try:
        for child in TopologicalSorter(above).static_order():
            heights[child] = 1 + max((heights[other] for other in above[child]), default=0)
    except CycleError as error:
        return f"{loose}, a circle: {' <- '.join(name.rpartition('.')[2] for name in error.args[1])}"
    return f"{loose}, {max(heights.values())} layers"


def single_importers() -> str:
    """Return how many modules exactly one other module imports."""
    graph = imports()
    return str(sum(len(graph.find_modules_that_directly_import(each)) == 1 for each in graph.modules))


def words(*paths: Path) -> str:
    """Return the words of prose in Markdown files."""
    return f"{sum(len(CODE.sub('', path.read_text(encoding='utf-8')).split()) for path in paths):,} words"


def main() -> None:
    """Print the table."""
    pages = [path for path in files("docs") if path.suffix == ".md"]
    table = {
        "package, without model/": python(PACKAGE, without="/model/"),
        "its root": layers(PACKAGE),
        "modules with exactly one importer": single_importers(),
        "jobs/": f"{python(f'{PACKAGE}/jobs')}, {layers(f'{PACKAGE}.jobs')}",
        **{f"{name}/": python(f"{PACKAGE}/{name}") for name in ("transport", "cli", "mcp", "sandbox")},
        "tests/": python("tests"),
        "benchmarks/": python("benchmarks"),
        "docs/builder/": python("docs/builder"),
        "README.md": words(ROOT / "README.md"),
        "docs/": words(*pages),
    }
    for what, size in table.items():
        print(f"{what:34} {size}")


if __name__ == "__main__":
    main()
