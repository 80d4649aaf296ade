"""The table of docs/failures.md names every class and every attribute of its own."""

from __future__ import annotations

import re
from pathlib import Path

from wosdk_async import WosdkError, errors

DOC = Path(__file__).parents[2] / "docs" / "failures.md"
ROW = re.compile(r"^\|[^|]*\| `(\w+)` \|[^|]*\|([^|]*)\|$", re.MULTILINE)


def test_the_table_lists_every_error_with_its_attributes() -> None:
    """A new class, or a new attribute, must be told."""
    kinds = [kind for name in errors.__all__ if isinstance(kind := getattr(errors, name), type)]
    rows = dict(ROW.findall(DOC.read_text(encoding="utf-8")))
    assert rows.keys() == {kind.__name__ for kind in kinds}
    for kind in set(kinds) - {WosdkError}:
        assert re.findall(r"`(\w+)`", rows[kind.__name__]) == list(vars(kind).get("__annotations__", {}))


def test_the_attributes_of_all_are_named() -> None:
    """In the text below the table."""
    text = DOC.read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in ("message", *WosdkError.__annotations__))
