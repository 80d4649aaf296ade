"""What calls are made of: names as paths, objects as bodies, and how responses are read."""

from __future__ import annotations

import functools
import logging
import os
import random
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar
from urllib.parse import quote

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError, UnknownFieldError
from wosdk_async.model import Record, command_class, entity_class
from wosdk_async.model.index import COMMANDS, ENTITIES
from wosdk_async.protocol import envelopes
from wosdk_async.protocol.validation.arguments import described, entity_name
from wosdk_async.protocol.validation.problems import Problem, content_problems, lacks, problems
from wosdk_async.protocol.wire import Call
from wosdk_async.suggestions import suggestion

__all__ = [
    "Id",
    "content_of",
    "content_of_dict",
    "name_of",
    "new_request_id",
    "objects",
    "post",
    "segment",
    "warn_of_typo",
    "with_fields",
]

_log = logging.getLogger("wosdk_async")

E = TypeVar("E", bound=Record)

_TYPO = 0.85  # how alike names must be for a warning; new commands are alike by their endings

Id = int | Mapping[str, int]
"""A record's id, or the identifier fields of an entity with a compound key (facts 3.1)."""


# Not os.urandom: an id is no secret, and the system call costs three times as much.
_random = random.Random()  # noqa: S311
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.seed)


def new_request_id() -> str:
    """Return a RequestId that no other call has."""
    return _random.getrandbits(128).to_bytes(16, "big").hex()


def name_of(entity: type[Record] | str) -> str:
    """The name of an entity as a path. Raises InvalidCallError for what is not an entity."""
    name = segment(entity_name(entity))
    if isinstance(entity, str):
        warn_of_typo("entity", entity)
    return name


@functools.lru_cache(maxsize=256)  # once for each name, and a program may make names up
def warn_of_typo(kind: Literal["entity", "command"], name: str) -> None:
    """Log a name that the catalogue does not have and that is near one of its own; it is sent as it is."""
    entities = kind == "entity"
    if (entity_class(name) if entities else command_class(name)) is None:
        near = suggestion(name, ENTITIES if entities else COMMANDS, cutoff=_TYPO)
        if near:
            _log.warning("the %s %r is not in the catalogue and is sent as it is%s", kind, name, near)


def segment(name: str) -> str:
    """``name`` as a path, the form ``WorkOrder/Create`` included (facts 5)."""
    if not name or not all(part.isidentifier() for part in name.split("/")):
        raise InvalidCallError(f"{name!r} is no name of an entity or command")
    return quote(name)


def with_fields(record: E, changes: Mapping[str, Any]) -> E:
    for name, value in changes.items():
        if name not in record.__wire__:
            near = suggestion(name, record.__wire__)
            raise UnknownFieldError(f"{type(record).__name__} has no field {name!r}{near}")
        setattr(record, name, value)
    return record


def content_of(record: Record, check: bool = True, *, new: bool = False) -> dict[str, Any]:
    """The JSON object of ``record``. Raises InvalidCallError that names each fault and its remedy.

    Without ``check`` only what has no JSON form is refused. A ``new`` record is one to be created.
    """
    content = codec.plain(record)
    if content is not None and not (new and check and lacks(record, new=True)):
        return content
    if check:
        _refuse(type(record).__name__, problems(record, new=new))
    try:
        written: dict[str, Any] = codec.unstructure(record)
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
    return written


def content_of_dict(
    known: type[Record] | None, content: Mapping[str, Any] | None, check: bool
) -> Mapping[str, Any]:
    """A JSON object that the caller wrote, with names and values checked where the catalogue knows them."""
    if content is not None and not isinstance(content, Mapping):
        raise InvalidCallError(f"fields by name come as a dict, {{'Name': ...}}, not as {described(content)}")
    if known is not None and content and check:
        _refuse(known.wire_name, content_problems(known, content))
    return content or {}


def _refuse(name: str, found: list[Problem]) -> None:
    if faults := [str(problem) for problem in found if problem.severity == "error"]:
        raise InvalidCallError(f"{name}: {' '.join(faults)} (check=False sends it anyway)")
    for problem in found:
        _log.warning("%s: %s", name, problem)  # of names and numbers of the catalogue: on one line


def objects(form: codec.Envelope, kind: type[Record] | str | None) -> Callable[[bytes], Any]:
    return envelopes.objects(form, None if isinstance(kind, str) else kind)


def post(path: str, body: Any, *, repeat_safe: bool) -> Call[Any]:
    """POST JSON to a path below ``api/v1/``; the answer is its JSON, as it came."""
    if not isinstance(path, str):
        raise InvalidCallError(f"post() takes a path below api/v1/ such as 'cmd/X', not {described(path)}")
    if path.startswith(("/", "api/")):
        below = path.lstrip("/").removeprefix("api/v1/")
        raise InvalidCallError(
            f"{path!r:.80} does not start below api/v1/; post() takes what follows it, without a leading"
            f" slash: {below!r:.80}"
        )
    try:
        content = codec.dumps(codec.unstructure(body))
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
    return Call(f"POST {path}", "POST", f"api/v1/{segment(path)}", codec.loads, repeat_safe, body=content)
