"""Row identity across files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence, Set
from decimal import Context, Decimal, InvalidOperation
from hashlib import blake2b
from itertools import compress
from operator import itemgetter
from struct import Struct
from typing import Any

import msgspec
import orjson

from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.journal.entries import storable, to_json
from wosdk_async.jobs.mapping.marking import RowKeys, own_keys
from wosdk_async.jobs.mapping.template import Template
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.text.safe_text import one_line

_BYTES = 16  # per hash: 10**8 rows collide with a probability below 10**-22
_Hash = tuple[blake2b, Callable[[Any], Any]]
"""An empty hash, and a function that returns the part of a value to hash."""
_RAW, _COLUMNS, _KEY = (
    (blake2b(digest_size=_BYTES, person=kind), part)
    for kind, part in ((b"cells", list), (b"columns", list), (b"key", str))
)
_BACKSLASH = ord("\\")  # an integer is found seven times as fast as b"\\"
_CR = rb"\r"
_ESCAPE = re.compile(rb"\\(?:r(?:\\n)?|.)")
"""JSON escape sequence; CR followed by LF counts as one sequence."""
_FIRST_BYTES = Struct(">q").unpack_from
_EXCERPT = 60  # maximum characters
_MAX_HASHES = 256


class RowIdentity(msgspec.Struct):
    """A row's identity, and a digest that detects changes."""

    identity: bytes
    """Hash of the key, or of the cells if there is no key."""
    digest: int
    """Truncated hash of the relevant cells."""
    key: str | None
    """Key that the map sets in the marker field, if any."""
    name: str | None
    """Name in messages if ``key`` is None: the value of the map's ``key`` or, without one, the beginning of
    the cells."""
    cells: bytes | None = None
    """Hash of the cells if there is a key, to match ledger rows that were added before the map had a key."""


class Identities:
    """Row identities of one file.

    A row is identified by its key, from the marker's template or the map's ``key``. Without a key, it is
    identified by its non-blank cells and their column names. Columns without a name are ignored. Columns that
    begin with ``_`` count only if the map reads them.

    A digest covers the columns in ``relevant``, or all columns if that is None. The attribute ``columns``
    lists the columns that identify rows without a key; ``filled`` lists those with a non-blank cell.
    """

    def __init__(
        self,
        columns: Collection[str],
        keys: RowKeys | None,
        key: Template | None = None,
        relevant: Set[str] | None = None,
    ) -> None:
        self.filled: set[str] = set()
        self._names = [
            name for name in columns if name and (not name.startswith("_") or name in (relevant or ()))
        ]
        self.columns = sorted(self._names)
        self._texts_of = _getter(self._names)
        self._hashes: dict[tuple[str, ...], tuple[_Hash, _Hash]] = {}
        """For each set of non-blank columns: how to hash all cells, and how to hash the relevant ones."""
        self._relevant = relevant
        self._marked = own_keys(keys)
        self._key = key

    def of(self, row: Row) -> RowIdentity:
        """Return a row's identity, based on the cells if the key cannot be built."""
        cells, all_of, relevant_of = self._filled(row)
        hashed = _hashed(all_of, cells)
        digest: int = _FIRST_BYTES(hashed if relevant_of is all_of else _hashed(relevant_of, cells))[0]
        if self._marked is not None:
            if (key := self._marked.key_or_none(row)) is not None:
                return RowIdentity(_hashed(_KEY, key), digest, key, None, hashed)
        elif self._key is not None and (key := self._own_key(row)) is not None:
            return RowIdentity(_hashed(_KEY, key), digest, None, storable(key), hashed)
        return RowIdentity(hashed, digest, None, one_line(", ".join(cells[:_EXCERPT])[:_EXCERPT]))

    def digest(self, row: Row) -> int:
        """Return a truncated hash of the relevant cells, to detect changes."""
        cells, _, relevant_of = self._filled(row)
        digest: int = _FIRST_BYTES(_hashed(relevant_of, cells))[0]
        return digest

    def _filled(self, row: Row) -> tuple[list[str], _Hash, _Hash]:
        """Return the non-blank cells, how to hash all of them, and how to hash only the relevant ones.

        In a row that does not fit the header, all cells are relevant. In other rows, columns without a name
        are ignored.
        """
        if row.raw_cells is not None and not row.fits:
            return list(row.raw_cells), _RAW, _RAW
        cells = row.cells if type(row.cells) is dict else dict(row.cells.items())  # items() never raises
        try:
            texts = self._texts_of(cells)
        except KeyError:
            texts = tuple(cells.get(name, "") for name in self._names)
        filled = [*filter(None, texts)]
        if any(map(str.isspace, filled)):
            texts = tuple("" if text.isspace() else text for text in texts)
            filled = [*filter(None, texts)]
        names = tuple(compress(self._names, texts))
        return filled, *(self._hashes.get(names) or self._new_hashes(names))

    def _new_hashes(self, names: tuple[str, ...]) -> tuple[_Hash, _Hash]:
        if len(self._hashes) == _MAX_HASHES:
            self._hashes.clear()
        self.filled.update(names)
        relevant = [name for name in names if self._relevant is None or name in self._relevant]
        every = _hash_of(names, names)
        self._hashes[names] = found = every, every if relevant == [*names] else _hash_of(names, relevant)
        return found

    def _own_key(self, row: Row) -> str | None:
        if row.fault is not None or self._key is None:
            return None
        try:
            self._key.require_exact_key(row.cells)
            return (self._key.fill(row.cells) or "").strip() or None
        except RowError:  # raised for an unusable cell
            return None


def key_identity(key: str) -> bytes:
    """Return the identity of a row with this key."""
    return _hashed(_KEY, key)


def _hash_of(names: Sequence[str], hashed: Collection[str]) -> _Hash:
    """Return an empty hash and a getter for the columns in ``hashed``, whose order does not matter.

    The getter takes a row's cells in the order of ``names``.
    """
    columns, places = sorted(hashed), {name: place for place, name in enumerate(names)}
    empty = blake2b(digest_size=_BYTES, person=b"cells", salt=_hashed(_COLUMNS, columns))
    return empty, _getter([places[name] for name in columns])


def _getter(keys: Sequence[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return an ``itemgetter`` that returns a tuple for any number of keys."""
    return itemgetter(*keys) if len(keys) > 1 else lambda found: tuple(found[each] for each in keys)


def _hashed(how: _Hash, value: Any) -> bytes:
    empty, part = how
    hashed = empty.copy()  # a third faster than a new hash
    try:
        text = orjson.dumps(part(value))
    except TypeError:  # an unpaired surrogate
        text = orjson.dumps(orjson.loads(to_json(part(value))))
    # Programs that convert the line ends of a file also convert the line breaks in its cells.
    hashed.update(_ESCAPE.sub(_with_lf, text) if _BACKSLASH in text and _CR in text else text)
    return hashed.digest()


def _with_lf(escape: re.Match[bytes]) -> bytes:
    return rb"\n" if escape[0][1:2] == b"r" else escape[0]


def undisguised(key: str) -> str:
    """Normalize a key, so that variants written by spreadsheets and people compare equal.

    Unicode normalization, case, white space, leading zeros, ``.0`` and exponents are ignored: ``00501``,
    ``501``, ``501.0`` and ``5.01E+02`` compare equal.
    """
    while (plain := _plainer(key)) != key:  # repeated, because "0.0." becomes "0." and then "0"
        key = plain
    return key


def _plainer(key: str) -> str:
    if not key.isascii():
        key = unicodedata.normalize("NFKC", key)
        # Category "Cf" includes the zero-width space.
        key = "".join(each for each in key if unicodedata.category(each) != "Cf")
    text = "".join(key.casefold().split())
    text = text.strip("='\"") or text  # ="00501" preserves zeros in a sheet; an apostrophe disarms a formula
    try:
        number = Decimal(text.replace("_", "?"))  # Decimal would accept _ as a digit separator
    except InvalidOperation:
        text = _FRACTION.sub("", _ZEROS.sub("", text))
        return _EXPONENT.sub(lambda found: _written_out(found[0], len(text)), text)
    if not number.is_finite() or abs(number.adjusted()) > _DIGITS:
        return text
    return _written_out(number, len(text))


def _written_out(number: Decimal | str, digits: int) -> str:
    return format(Decimal(number).normalize(Context(prec=digits)), "f")


# Only exponents of two digits, because the number that replaces the match is then too large for an exponent.
# With one digit, "1e-1e+1" would become "1e-10", which is a number.
_EXPONENT = re.compile(r"(?<![0-9.])[1-9](?:\.[0-9]+)?e\+[1-9][0-9](?![0-9.e])")
_ZEROS = re.compile(r"(?<![0-9.])0+(?=[0-9])")
_FRACTION = re.compile(r"(?<=[0-9])\.0+(?![0-9])")
_DIGITS = 40  # maximum digits of a number to write out
