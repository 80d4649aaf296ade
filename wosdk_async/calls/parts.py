"""What calls are made of: names as paths, objects as bodies, and how answers are read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

from wosdk_async import check, codec, envelope
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Record

__all__ = ["Id", "content_of", "name_of", "objects", "segment", "with_fields"]

_log = logging.getLogger("wosdk_async")

E = TypeVar("E", bound=Record)

Id = int | Mapping[str, int]
"""A record's id, or the identifier fields of an entity with a compound key (facts 3.1)."""


def name_of(entity: type[Record] | str) -> str:
    return segment(entity if isinstance(entity, str) else entity.wire_name)


def segment(name: str) -> str:
    """``name`` as a path, the form ``WorkOrder/Create`` included (facts 5)."""
    if not name or not all(part.isidentifier() for part in name.split("/")):
        raise InvalidCallError(f"{name!r} is no name of an entity or command")
    return quote(name)


def with_fields(record: E, changes: Mapping[str, Any]) -> E:
    for name, value in changes.items():
        if name not in record.__wire__:
            raise InvalidCallError(f"{type(record).__name__} has no field {name!r}")
        setattr(record, name, value)
    return record


def content_of(record: Record) -> dict[str, Any]:
    """The JSON object of ``record``. Raises InvalidCallError that names each fault and its remedy."""
    if (content := codec.plain(record)) is not None:
        return content
    found = check.problems(record)
    if faults := [str(problem) for problem in found if problem.severity == "error"]:
        raise InvalidCallError(f"{type(record).__name__}: {' '.join(faults)}")
    for problem in found:
        _log.warning("%s: %s", type(record).__name__, problem)
    written: dict[str, Any] = codec.unstructure(record)
    return written


def objects(form: codec.Form, kind: type[Record] | str | None) -> Callable[[bytes], Any]:
    cls = None if isinstance(kind, str) else kind
    return lambda body: envelope.objects(body, form, cls)
