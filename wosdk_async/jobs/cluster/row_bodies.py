"""Records and commands of rows as texts, on their way from the coordinator to a worker."""

from __future__ import annotations

from typing import Any

from wosdk_async.codec import converter, dumps, loads
from wosdk_async.model import Record

__all__ = ["body_of", "record_of"]


def body_of(record: Any) -> str:
    """Return the JSON of a record or command that was built from a row."""
    return dumps(converter.unstructure(record)).decode()


def record_of(body: str, kind: type[Record]) -> Any:
    """Return the record or command of type ``kind`` in ``body``.

    Raises:
        Exception: it is not one; of what kind depends on what is wrong.
    """
    return converter.structure(loads(body.encode()), kind)
