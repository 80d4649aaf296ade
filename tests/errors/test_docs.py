"""The tables of docs/failures.md: every class with its attributes, and the verdicts of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.errors.tables import DOC, TABLES, rendered
from wosdk_async import WosdkError, errors

ROW = re.compile(r"^\|[^|]*\| `(\w+)` \|[^|]*\|([^|]*)\|$", re.MULTILINE)


def test_the_table_lists_every_error_with_its_attributes() -> None:
    """A new class, or a new attribute, has to be in the table."""
    kinds = [kind for name in errors.__all__ if isinstance(kind := getattr(errors, name), type)]
    found = ROW.findall(DOC.read_text(encoding="utf-8"))
    rows = dict(found)
    assert len(rows) == len(found), "a class is in the table twice"
    assert rows.keys() == {kind.__name__ for kind in kinds}
    for kind in set(kinds) - {WosdkError}:
        assert re.findall(r"`(\w+)`", rows[kind.__name__]) == list(vars(kind).get("__annotations__", {}))


@pytest.mark.parametrize("page", TABLES, ids=lambda page: page.name)
def test_the_tables_are_rendered_from_the_code(page: Path) -> None:
    """The pages show the rows of protocol/verdicts.py and problems.py."""
    assert page.read_text(encoding="utf-8") == rendered(page, TABLES[page]), (
        "run: python -m tests.errors.tables"
    )


def test_the_attributes_of_all_are_named() -> None:
    """In the text below the table."""
    text = DOC.read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in ("message", *WosdkError.__annotations__))
