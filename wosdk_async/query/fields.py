"""``fields``: the properties of an entity, for conditions. Its types are generated into ``fields.pyi``."""

from __future__ import annotations

from typing import Any

from wosdk_async.model import Record
from wosdk_async.query.paths import root
from wosdk_async.query.properties import property_at

__all__ = ["fields"]


def fields(entity: type[Record] | str) -> Any:
    """Return the properties of an entity, from which conditions are built.

    ::

        f = fields(WorkOrder)
        f.customer.name == "Acme"

    If the entity is given by its name, nothing is checked, and you write the names of the service:
    ``fields("NewEntity").SomeName``.
    """
    return property_at(root(entity))
