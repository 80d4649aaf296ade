"""Checks of errors by their facts, for ``pytest.raises(Error, check=having(code="..."))``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def having(**facts: object) -> Callable[[Any], bool]:
    """Return a check that an error has these attributes; if not, it raises an AssertionError."""

    def check(error: Any) -> bool:
        assert {name: getattr(error, name) for name in facts} == facts
        return True

    return check
