"""Metadata of fields: their names and types on the wire, from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

__all__ = ["OWNED", "Wire", "WireTable", "is_nested", "wire"]

Wire = Mapping[str, Any]
"""Keys: ``name`` (spelling on the wire), ``type`` (of the value, or of each element), and where they
apply ``of``, ``many``, ``max_length``, ``max_length_source``, ``required``, ``updatable``, ``aliases``
and ``secret``.
"""

OWNED = frozenset({"Address2", "AssetInfo", "Blob", "ContactInfo", "WoEstimate", "WoNote", "WoQuote"})
"""Entities that are part of the record that refers to them: an update writes inside them.

Every other reference names a separate record.
"""
# facts 3.4, 3.9; Blob and ContactInfo: not shown; assumed


def wire(name: str, type: str, of: str | None = None, **more: Any) -> dict[str, Any]:
    """Describe the wire side of a field (see :data:`Wire`)."""
    return {"name": name, "type": type, "of": of, **more}


def is_nested(meta: Wire) -> bool:
    """Return whether the field holds objects of another class."""
    return bool(meta["of"]) and meta["type"] != "enum"


class WireTable:
    """``__wire__`` of a class: Python name -> :data:`Wire`, inherited fields first; made at first use."""

    def __get__(self, _: object, cls: type[Any]) -> dict[str, Wire]:
        # GIL: threads that come first at the same time each make a table, and the last one stays. They are
        # equal; only RecordReader compares by identity, and with another one it learns all fields once more.
        table = {field.name: field.metadata for field in attrs.fields(cls) if field.metadata}
        cls.__wire__ = table
        return table
