"""``fields``: properties of an entity, for building conditions. Type checkers read ``fields.pyi``."""

from __future__ import annotations

from typing import Any

from wosdk_async.model import Record
from wosdk_async.query.paths import root
from wosdk_async.query.properties import property_at


def fields(entity: type[Record] | str) -> Any:
    """Return the properties of an entity, for building conditions.

    ::

        f = fields(WorkOrder)
        f.customer.name == "Acme"

    With an entity name, properties use the service's names, unchecked: ``fields("NewEntity").SomeName``.
    """
    return property_at(root(entity))
