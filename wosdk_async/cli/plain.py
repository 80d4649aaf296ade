"""Texts of the service made safe to look at: nothing in them moves a cursor or turns the line around."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

__all__ = ["counted", "escaped", "json_text", "visible"]

# C0 and C1 controls, what changes the direction of writing, invisible marks, halves of surrogate pairs
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


def visible(text: str) -> str:
    """Return ``text`` on one line: white space as single blanks, control characters as ``\\x1b``."""
    return escaped(" ".join(text.split()))


def escaped(text: str) -> str:
    """Return ``text`` with control characters, line breaks among them, as ``\\x1b``."""
    return _UNSAFE.sub(_escape, text)


def counted(number: int, thing: str) -> str:
    """Return ``1 row`` or ``2 rows``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def json_text(value: Any) -> str:
    """``value`` as JSON on one line: digits of numbers kept, control characters written as ``\\u009b``."""
    from wosdk_async import codec

    try:
        text = codec.dumps(value).decode()
    except ValueError:  # it came as odd as this: an integer beyond 64 bits, half a surrogate pair
        text = _slowly(value)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _slowly(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(str(key))}:{_slowly(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_slowly, value)) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)
