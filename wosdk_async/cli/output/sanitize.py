"""Texts of the service made safe to look at: nothing in them moves a cursor or turns the line around."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from wosdk_async.safe_text import UNSAFE, one_line

__all__ = ["counted", "json_text", "visible"]


def visible(text: str) -> str:
    """Return ``text`` on one line: white space as single blanks, control characters as ``\\x1b``."""
    return one_line(" ".join(text.split()))


def counted(number: int, thing: str) -> str:
    """Return ``1 row`` or ``2 rows``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def json_text(value: Any) -> str:
    """``value`` as JSON on one line: digits of numbers kept, control characters written as ``\\u009b``."""
    from wosdk_async import codec

    try:
        text = codec.dumps(value).decode()
    except ValueError:  # it came as odd as this: an integer beyond 64 bits, half a surrogate pair
        text = _slowly(value)
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _Written(str):
    """JSON that is written already."""


def _slowly(value: Any) -> str:
    """JSON of any depth: what is still to be written waits in a list, not on the stack of calls."""
    written: list[str] = []
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, dict):
            left.append(_Written("}"))
            for place, (key, inner) in reversed(list(enumerate(item.items()))):
                left += [inner, _Written(f"{',' if place else ''}{json.dumps(str(key))}:")]
            left.append(_Written("{"))
        elif isinstance(item, list):
            left.append(_Written("]"))
            for place, inner in reversed(list(enumerate(item))):
                left += [inner, _Written("," if place else "")]
            left.append(_Written("["))
        else:
            plain = isinstance(item, _Written | Decimal)
            written.append(str(item) if plain else json.dumps(item))
    return "".join(written)
