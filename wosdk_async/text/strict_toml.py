"""TOML of settings, maps and scripts, read in time that is proportional to its length."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["parse_toml"]

_MAX_PARTS = 32  # of a dotted key
# Strings and comments are skipped as tomllib reads them; a string without an end extends to that of the text.
_TOML = re.compile(
    r"""\"{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\\?\Z)|'{3}(?:[^']|'(?!''))*+(?:'{3,5}|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?|\#[^\n]*+|(?P<dot>\.)|(?P<end>[\n=,\[\]{}])""",
    re.DOTALL,
)


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text. Raise ValueError for any other text.

    tomllib takes quadratic time for keys of many parts (28 s for 64 KB), so these are refused. So are
    integers of more than 64 bits, which TOML does not have to support and Python may refuse to print.
    """
    import tomllib

    parts = 1
    for token in _TOML.finditer(text):
        parts = 1 if token.lastgroup == "end" else parts + (token.lastgroup == "dot")
        if parts > _MAX_PARTS:
            raise ValueError(f"the key at character {token.start()} has more than {_MAX_PARTS} parts")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        tables = None  # not raised in the handler: the cause, whose frames hold the text
    if tables is None:
        raise ValueError("it is nested too deeply")
    values: list[Any] = [tables]
    while values:
        value = values.pop()
        if isinstance(value, int) and value.bit_length() > 63 and value != -(1 << 63):
            raise ValueError("an integer has more than 64 bits; write it in quotes")
        values += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return tables
