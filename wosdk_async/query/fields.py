"""``fields``: the properties of an entity, to build conditions of. Its types are in ``fields.pyi``."""

from __future__ import annotations

from typing import Any

from wosdk_async.model import Record
from wosdk_async.query.paths import root
from wosdk_async.query.properties import at

__all__ = ["fields"]


def fields(entity: type[Record] | str) -> Any:
    """The properties of ``entity``: ``f = fields(WorkOrder)``, then ``f.customer.name == "Acme"``.

    Of an entity given by its name nothing is checked, and properties are spelt as the service does:
    ``fields("NewEntity").SomeName``.
    """
    return at(root(entity))
