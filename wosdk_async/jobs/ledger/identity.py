"""Row identity across files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Set
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import partial
from hashlib import blake2b
from itertools import islice
from struct import Struct

import attrs
import orjson

from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.journal.entries import to_json
from wosdk_async.jobs.mapping.marking import RowKeys, own_keys
from wosdk_async.jobs.mapping.template import Template
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.text.safe_text import one_line

__all__ = ["Identities", "RowIdentity", "abbreviated", "disguises", "undisguised"]

_BYTES = 16  # per hash: 10**8 rows collide with a probability of 10**-22
_HASHES = {kind: blake2b(digest_size=_BYTES, person=kind) for kind in (b"cells", b"key")}
_FIRST_BYTES = Struct(">q").unpack_from
_EXCERPT = 60  # maximum characters
_EXCERPT_CELLS = 12


@attrs.define  # not frozen, which takes three times as long to construct
class RowIdentity:
    """A row's identity, and a digest that detects changes."""

    identity: bytes
    """Hash of the key, or of the cells if there is no key."""
    digest: int
    """Truncated hash of the relevant cells."""
    key: str | None
    """The marker's key; None without a marker, or if the key is the ledger's row number."""
    name: str | None
    """Name in messages: the map's key if the map has no marker, or the beginning of the cells."""
    cells: bytes | None = None
    """Hash of the cells of a row with a key, to match ledger rows from before the map had a key."""


class Identities:
    """Row identities of one file.

    A row is identified by its key, from the marker's template or the map's ``key``. Without a key, it is
    identified by its non-blank cells and their column names, ignoring columns that begin with ``_`` unless
    the map reads them.

    Args:
        columns: the file's columns.
        keys: the marker's keys; None without a marker.
        key: the map's ``key`` template.
        counting: the columns in which changes count; None for all columns.

    Attributes:
        columns: the columns that identify rows without a key.
        filled: the non-empty columns.
    """

    def __init__(
        self,
        columns: Collection[str],
        keys: RowKeys | None,
        key: Template | None = None,
        counting: Set[str] | None = None,
    ) -> None:
        self.filled: set[str] = set()
        self.columns = sorted(
            name for name in columns if name and (not name.startswith("_") or name in (counting or ()))
        )
        self._counted = frozenset(self.columns)
        self._marked = own_keys(keys)
        self._key = key
        self._counting = counting

    def of(self, row: Row) -> RowIdentity:
        """Return a row's identity, based on the cells if the key cannot be built."""
        cells = self._cells(row)
        hashed = _hash(b"cells", cells)
        digest = _number(hashed) if self._counting is None else self._digest(cells)
        if self._marked is not None:
            if (key := self._marked.key_or_none(row)) is not None:
                return RowIdentity(_hash(b"key", key), digest, key, None, hashed)
        elif self._key is not None and (key := self._own_key(row)) is not None:
            return RowIdentity(_hash(b"key", key), digest, None, key, hashed)
        values = cells if isinstance(cells, list) else islice(cells.values(), _EXCERPT_CELLS)
        return RowIdentity(hashed, digest, None, one_line(", ".join(values)[:_EXCERPT]))

    def digest(self, row: Row) -> int:
        """Return a truncated hash of the relevant cells, to detect changes."""
        return self._digest(self._cells(row))

    def _digest(self, cells: dict[str, str] | list[str]) -> int:
        if self._counting is not None and isinstance(cells, dict):
            cells = {name: cells[name] for name in self._counting if name in cells}
        return _number(_hash(b"cells", cells))

    def _cells(self, row: Row) -> dict[str, str] | list[str]:
        """Return the non-blank cells; for a row that does not fit the header, all cells."""
        if row.raw_cells is not None:
            return list(row.raw_cells)
        cells = row.cells if type(row.cells) is dict else dict(row.cells.items())  # includes unusable cells
        found = {name: cell for name, cell in cells.items() if cell and not cell.isspace()}
        if not found.keys() <= self.filled:
            found = {name: found[name] for name in found if name in self._counted}
            self.filled.update(found)
        return found

    def _own_key(self, row: Row) -> str | None:
        if row.fault is not None or self._key is None:
            return None
        try:
            return (self._key.fill(row.cells) or "").strip() or None
        except RowError:  # raised for an unusable cell
            return None


def _hash(kind: bytes, value: object) -> bytes:
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an unpaired surrogate
        data = orjson.dumps(orjson.loads(to_json(value)), option=orjson.OPT_SORT_KEYS)
    hashed = _HASHES[kind].copy()  # a third faster than a new hash
    hashed.update(data)
    return hashed.digest()


def _number(hashed: bytes) -> int:
    number: int = _FIRST_BYTES(hashed)[0]
    return number


def undisguised(key: str) -> str:
    """Normalize a key, so that variants written by spreadsheets and people compare equal.

    Unicode normalization, case, white space, leading zeros, ``.0`` and exponents are ignored: ``00501``,
    ``501``, ``501.0`` and ``5.01E+02`` compare equal.
    """
    while (plain := _plainer(key)) != key:  # repeated, because "0.0." becomes "0." and then "0"
        key = plain
    return key


def _plainer(key: str) -> str:
    text = "".join(unicodedata.normalize("NFKC", key).casefold().split())
    text = "".join(each for each in text if unicodedata.category(each) != "Cf")  # such as a zero-width space
    text = text.strip("='\"") or text  # ="00501" preserves zeros in a sheet; an apostrophe disarms a formula
    try:
        number = Decimal(text.replace("_", "?"))  # Decimal would accept _ as a digit separator
    except InvalidOperation:
        text = _FRACTION.sub("", _ZEROS.sub("", text))
        return _EXPONENT.sub(partial(_rounded, digits=len(text)), text)
    if not number.is_finite() or abs(number.adjusted()) > _DIGITS:
        return text
    return format(number.normalize(Context(prec=len(text))), "f")


def abbreviated(key: str) -> str | None:
    """Return the rounded form of a key with an exponent, which may lack digits; None for other keys."""
    return f"~{undisguised(key)}" if _EXPONENT.search(key.casefold()) else None


def disguises(key: str) -> str:
    """Return the forms of a key to compare, as JSON: normalized, and with long numbers rounded."""
    plain = undisguised(key)
    rounded = {f"~{_LONG.sub(partial(_rounded, digits=digits), plain)}" for digits in (3, 6)}
    return to_json([plain, *rounded] if _LONG.search(plain) else [plain])


def _rounded(number: re.Match[str], digits: int) -> str:
    return format(Decimal(number[0]).normalize(Context(prec=digits, rounding=ROUND_HALF_UP)), "f")


# Only exponents of two digits: written out, such a number is too large to be an exponent itself, so
# "1e-1e+10" does not become a number.
_EXPONENT = re.compile(r"(?<![0-9.])[1-9](?:\.[0-9]+)?e\+[1-9][0-9](?![0-9.e])")
_LONG = re.compile(r"(?<![0-9.])[1-9][0-9]{11,}(?![0-9.])")
_ZEROS = re.compile(r"(?<![0-9.])0+(?=[0-9])")
_FRACTION = re.compile(r"(?<=[0-9])\.0+(?![0-9])")
_DIGITS = 40  # maximum digits of a number to write out
