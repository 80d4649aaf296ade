"""The index of the cases of the specification is complete and true."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.spec.index import INDEX, NOT_SHOWN

HERE = Path(__file__).parent
SECTIONS = (
    [f"2.{number}" for number in range(1, 12)]
    + ["3"]
    + [f"4.{number}" for number in range(1, 11)]
    + ["5", "6", "7"]
)


def written() -> set[str]:
    """Every test of the sections, as the index names it."""
    return {
        f"{path.stem}: {node.name}"
        for path in HERE.glob("test_[2-7]_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def indexed() -> set[str]:
    found = set()
    for entries in INDEX.values():
        for entry in entries:
            module, _, names = entry.partition(": ")
            found |= {f"{module}: {name}" for name in names.split()}
    return found


def test_every_row_has_its_case_and_every_case_its_row() -> None:
    """No test that the index names is missing, and none is left out of it."""
    assert indexed() == written()


def test_every_section_is_there() -> None:
    """Sections 2 to 7 all have rows, or say why there is none."""
    assert {section for section, _ in (*INDEX, *NOT_SHOWN)} == set(SECTIONS)
