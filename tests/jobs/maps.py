"""Maps for the tests, on what a fresh local Company holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from tests.support.import_files import COLUMNS as HEADER
from tests.support.import_files import MARKER
from tests.support.import_files import ROWS_MAP as WORK_ORDER
from wosdk_async.jobs import ImportMap
from wosdk_async.jobs.mapping.nodes import RowContext
from wosdk_async.jobs.mapping.reference_index import ReferenceIndex

__all__ = [
    "CREATED",
    "CUSTOMER",
    "FIXED_CUSTOMER",
    "HEADER",
    "KEYED",
    "MAP",
    "MARKER",
    "TWO_PLACES",
    "WORK_ORDER",
    "built",
    "known_map",
    "load",
    "named",
    "rows",
]

CUSTOMER = """
[reference.customer]
entity = "Customer"
by = "display_as"
from = "{customer}"
"""

CREATED = (
    CUSTOMER
    + """
if_missing = "create"
truncate = true
[reference.customer.create]
name = "{}"
work_zone = "@zone"
[reference.zone]
entity = "WorkZone"
where = { is_offline = false }
"""
)

FIXED_CUSTOMER = '[reference.customer]\nentity = "Customer"\n'

MAP = WORK_ORDER + FIXED_CUSTOMER
KEYED = f'key = "{{key}}"\n{MAP}'
"""The same work orders, and a key of each row that no field of theirs has to carry."""

_PLACE = """
[reference.{}]
entity = "Location"
by = "name"
from = "{{{}}}"
if_missing = "create"
create = {{ model_id = 901 }}
"""
_ASSET = '[[command.work_order.items]]\nasset = "@asset"\n'
_SECOND = '[[command.work_order.items]]\nasset = "@second"\ntask = "@task"\n'
_ORDER = WORK_ORDER.replace(_ASSET, _SECOND + _ASSET)
TWO_PLACES = _ORDER.replace('[reference.asset]\nentity = "Location"\n', _PLACE.format("asset", "text"))
TWO_PLACES += _PLACE.format("second", "notes") + 'ambiguous = "first"\n'
"""A map with two references to places, each of which creates those that are missing."""


def rows(*keys: int | str, customer: str = "") -> list[list[str]]:
    """Return a row with each key."""
    return [[str(key), f"text {key}", f"notes {key}", customer] for key in keys]


def named(*customers: str) -> list[list[str]]:
    """Return a row for each name of a customer."""
    return [[str(key), "text", "notes", name] for key, name in enumerate(customers, 1)]


def load(folder: Path, *lines: str) -> ImportMap:
    """Load a map of these lines."""
    path = folder / "m.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return ImportMap.load(path)


_KNOWN: dict[str, ImportMap] = {}


def known_map(path: Path) -> ImportMap:
    """Load a map, or take the one of the same text: hundreds of imports have a few maps."""
    text = path.read_text(encoding="utf-8")
    if text not in _KNOWN:
        _KNOWN[text] = ImportMap.load(path)
    return attrs.evolve(_KNOWN[text], path=path)


def built(found: ImportMap, cells: Mapping[str, str]) -> Any:
    """Build what a map makes of a row without references."""
    return found.record.build(RowContext(cells, ReferenceIndex(())))
