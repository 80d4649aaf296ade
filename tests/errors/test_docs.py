"""The tables of docs/failures.md: every class with its attributes, and the verdicts of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.errors.tables import DOC, TABLES, exceptions, kinds, rendered
from wosdk_async import WosdkError, errors


def test_every_error_is_in_a_table_under_a_kind_of_its_own() -> None:
    """The tables are made from the source, which may be written in another way."""
    known = [kind for name in errors.__all__ if isinstance(kind := getattr(errors, name), type)]
    shown = exceptions() + kinds()
    for kind in known:
        assert f"| `{kind.__name__}` `{kind.kind}` |" in shown
    names = re.findall(r"\| `\w+` `([\w-]+)` \|", shown)
    assert (len(names), len(names)) == (len(set(names)), shown.count("\n") - 4)


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
