"""Field metadata from the catalogue: names and types on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

__all__ = ["OWNED", "Wire", "WireTable", "is_nested", "wire"]

Wire = Mapping[str, Any]
"""Keys: ``name`` (spelling on the wire), ``type`` (of the value, or of each element) and, where they apply,
``of``, ``many``, ``max_length``, ``max_length_source``, ``required``, ``updatable``, ``aliases`` and
``secret``.
"""

OWNED = frozenset({"Address2", "AssetInfo", "Blob", "ContactInfo", "WoEstimate", "WoNote", "WoQuote"})
"""Entities owned by the record that refers to them: updating that record writes their fields.

Every other reference points to a separate record.
"""
# facts 3.4, 3.9; Blob and ContactInfo: not shown; assumed


def wire(name: str, type: str, of: str | None = None, **more: Any) -> dict[str, Any]:
    """Return the wire metadata of a field (see :data:`Wire`)."""
    return {"name": name, "type": type, "of": of, **more}


def is_nested(meta: Wire) -> bool:
    """Return whether the field holds objects of another class."""
    return bool(meta["of"]) and meta["type"] != "enum"


class WireTable:
    """``__wire__`` of a class, built on first use: Python name -> :data:`Wire`, inherited fields first."""

    def __get__(self, _: object, cls: type[Any]) -> dict[str, Wire]:
        # GIL: threads that race on first use each build a table, and the last one wins. The tables are equal;
        # only RecordReader compares by identity, and relearns all fields if the table is a different one.
        table = {field.name: field.metadata for field in attrs.fields(cls) if field.metadata}
        cls.__wire__ = table
        return table
