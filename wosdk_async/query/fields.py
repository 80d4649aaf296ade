"""``fields``: the properties of an entity, for conditions; ``fields.pyi`` with its types is generated."""

from __future__ import annotations

from typing import Any

from wosdk_async.model import Record
from wosdk_async.query.paths import root
from wosdk_async.query.properties import property_at

__all__ = ["fields"]


def fields(entity: type[Record] | str) -> Any:
    """Return the properties of an entity, to build conditions of.

    ::

        f = fields(WorkOrder)
        f.customer.name == "Acme"

    If the entity is given by its name, nothing is checked and properties are spelt as the service does:
    ``fields("NewEntity").SomeName``.
    """
    return property_at(root(entity))
