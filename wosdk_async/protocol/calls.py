"""Calls for commands (spec 4.2), queries (facts 4) and arbitrary paths, and their request bodies.

Entities and commands are given as model classes and objects or, if the catalogue lacks them, as names and
plain dicts. ``records.py`` contains the record calls.
"""

from __future__ import annotations

import functools
import logging
import os
import random
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, final

import attrs
import msgspec

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, QueryExpression, Record, command_class, registry
from wosdk_async.protocol import envelopes, matching
from wosdk_async.protocol.arguments import (
    described,
    name_of,
    require_command,
    segment,
    unknown_type,
    untyped_field,
    warn_of_typo,
)
from wosdk_async.protocol.validation import (
    Problem,
    content_problems,
    drops,
    foreign,
    is_own,
    lacks,
    problems,
)
from wosdk_async.protocol.wire import COMMANDS, Call
from wosdk_async.text.remedies import Remedy

_log = logging.getLogger("wosdk_async")

E = TypeVar("E", bound=Record)
Content = dict[str, Any]


def content_of(
    record: Record, check: bool = True, *, new: bool = False, origin: str | None = None
) -> dict[str, Any]:
    """Return ``record`` as a JSON object; ``new`` means that the call creates the record.

    Raises one InvalidCallError that lists all faults with their remedies. A nested record from a Company
    other than ``origin`` is a fault. Without ``check``, only values that JSON cannot represent are refused.
    """
    content = codec.plain(record, origin)
    if content is not None and not (
        check and (drops(record, content, new) or (new and lacks(record, new=True)))
    ):
        return content
    if check:
        found = [*problems(record, new=new), *foreign(record, origin, "")]
        _report_problems(type(record).__name__, found, Remedy.UNCHECKED)
    try:
        written: dict[str, Any] = codec.unstructure(record)
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
    return written


def content_of_dict(
    known: type[Record] | None, content: Mapping[str, Any] | None, check: bool, *, new: bool = False
) -> Mapping[str, Any]:
    """Return the caller's JSON object.

    If its class is ``known``, check it first; ``new`` means that the object is a new record.
    """
    if content is not None and not isinstance(content, Mapping):
        raise InvalidCallError(f"fields by name must be a dict, {{'Name': ...}}, not {described(content)}")
    if known is not None and content and check:
        _report_problems(known.wire_name, content_problems(known, content, new), Remedy.UNCHECKED)
    return content or {}


def require_own(record: object, origin: str, *remedies: Remedy) -> None:
    """Raise InvalidCallError, with ``remedies``, for a record from a Company other than ``origin``."""
    if isinstance(record, Record) and not is_own(record, origin):
        found = list(foreign(record, origin, f"id {getattr(record, 'id', None)}"))
        _report_problems(type(record).__name__, found, *remedies)


def _report_problems(name: str, found: list[Problem], *remedies: Remedy) -> None:
    """Raise InvalidCallError for the errors among the problems; if all are warnings, log them."""
    if faults := [problem for problem in found if problem.severity == "error"]:
        in_json = " ".join(f"{problem.path} {problem.in_json or problem.message}" for problem in faults)
        raise InvalidCallError(
            f"{name}: {' '.join(map(str, faults))}",
            remedies=remedies,
            for_callers=f"{name}: {in_json}",
        )
    for problem in found:
        _log.warning("%s: %s", name, problem)  # unescaped: only names and numbers from the catalogue


def body_of(content: Mapping[str, Any]) -> bytes:
    """Return ``content`` as a JSON body. Raises InvalidCallError if JSON cannot represent it."""
    try:
        return codec.dumps(content)
    except ValueError as error:
        raise InvalidCallError(str(error)) from None


# Ids are not secret, and the system call of os.urandom takes three times as long.
_random = random.Random()  # noqa: S311
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.seed)


def _new_request_id() -> str:
    return _random.getrandbits(128).to_bytes(16, "big").hex()


# --- commands -------------------------------------------------------------------------------


@final
class Written(msgspec.Struct, eq=False):
    """Command of class ``kind``, already checked and written as JSON, and the ``key`` in its marker.

    The call of a create decodes only an :class:`~wosdk_async.protocol.writes.Effect`, not the record, if the
    result class allows this.
    """

    kind: Any
    content: Content
    key: Any = None


def command(
    cmd: Command[Any] | Written | str,
    fields: Mapping[str, Any] | None = None,
    check: bool = True,
    origin: str | None = None,
) -> Call[Any]:
    """Return the call for a command at ``origin``, with a new RequestId that all its attempts share."""
    if isinstance(cmd, str):
        known = command_class(cmd)
        decode, compared = matching.result_for(_PLAIN, known)
        kind = _Kind(cmd, COMMANDS + segment(cmd), decode, compared, untyped=untyped_field(known))
        warn_of_typo("command", cmd)
        content = content_of_dict(known, fields, check)
    elif type(cmd) is Written:  # isinstance() would call a method of the Struct's metaclass
        kind, content = _written_kinds.get(cmd.kind) or _written_kind_of(cmd.kind), cmd.content
    else:
        kind = _kinds.get(cmd.__class__) or _kind_of(cmd)
        if fields is not None:
            raise InvalidCallError(
                f"run({type(cmd).__name__}(...)) takes no other fields; set them in the command"
            )
        content = content_of(cmd, check, origin=origin)
    if check and kind.untyped is not None:
        raise unknown_type(kind.name, kind.untyped)
    if kind.adapt is not None:
        kind.adapt(content)
    body: dict[str, Any] = {"Command": content}
    request_id = None
    if not kind.to_locator:  # spec 4.2: each command except discovery has a RequestId
        body["RequestId"] = request_id = _new_request_id()
    return Call(
        kind.name,
        "POST",
        kind.path,
        kind.decode if kind.compared is None else kind.compared(content),
        kind.repeat_safe,
        body_of(body),
        (),
        request_id,
        kind.to_locator,
        kind.other_paths,
    )


@attrs.frozen
class _Kind:
    """Parts shared by all calls of a command class."""

    name: str
    path: str
    decode: Any
    compared: Any = None
    """Function that returns a decoder which compares the result with a request's content."""
    repeat_safe: bool = False
    to_locator: bool = False
    other_paths: tuple[str, ...] = ()
    adapt: Any = None
    untyped: str | None = None


_PLAIN = envelopes.objects(envelopes.RESULT, None)


_kinds: dict[type[Any], _Kind] = {}


def _kind_of(cmd: Command[Any]) -> _Kind:
    """Return the shared parts of a command class, and cache them. Raises InvalidCallError."""
    require_command(cmd)
    cls = type(cmd)
    if not cls.path:
        raise InvalidCallError(f"{cls.__name__} is an abstract command class; run a subclass")
    _kinds[cls] = _Kind(
        cls.wire_name,
        COMMANDS + cls.path,
        *matching.result_for(envelopes.objects(envelopes.RESULT, registry.resolve(cls.result_name)), cls),
        cls.repeat == "safe",
        cls.host == "locator",
        tuple(COMMANDS + path for path in cls.other_paths),
        _ADAPTERS.get(cls.wire_name),
        untyped_field(cls),
    )
    return _kinds[cls]


_written_kinds: dict[type[Any], _Kind] = {}


def _written_kind_of(cls: Any) -> _Kind:
    kind = _kind_of(cls())
    decode = matching.effect_reader(kind.decode, envelopes.RESULT.envelope, cls)
    _written_kinds[cls] = attrs.evolve(kind, decode=decode)
    return _written_kinds[cls]


# --- queries, and arbitrary paths ------------------------------------------------------------


def query(
    entity: type[E] | str,
    expression: Record | Mapping[str, Any],
    *,
    isolation: str | None = None,
    check: bool = False,
    numbered: bool = False,
) -> Call[list[Any]]:
    """Return the call for a QueryExpression, at an isolation level (facts 3.8).

    A ``numbered`` query sends a RequestId, which the response repeats (facts 4).
    """
    name = name_of(entity)
    if not isinstance(expression, QueryExpression | Mapping):
        raise InvalidCallError(
            f"query() takes a QueryExpression or a dict after the entity, not {described(expression)}; "
            f"conditions go into query({name}).where(...)"
        )
    if isinstance(expression, Record):
        content: Mapping[str, Any] = content_of(expression, check=check)
    else:
        content = content_of_dict(QueryExpression if check else None, expression, check)
    body: dict[str, Any] = {"QueryExpression": content}
    request_id = None
    if numbered:
        body["RequestId"] = request_id = _new_request_id()
    return Call(
        f"query {name}",
        "POST",
        f"api/v1/query/{name}",
        envelopes.objects(envelopes.ROWS, entity),
        repeat_safe=True,
        body=body_of(body),
        headers=(("DataRetrievalIsolationLevel", isolation),) if isolation else (),
        request_id=request_id,
    )


def post(path: str, body: Any, *, repeat_safe: bool) -> Call[Any]:
    """Return the call that posts JSON to a path below ``api/v1/``; its result is the parsed JSON."""
    if not isinstance(path, str):
        raise InvalidCallError(f"post() takes a path below api/v1/ such as 'cmd/X', not {described(path)}")
    if path.startswith(("/", "api/")):
        below = path.lstrip("/").removeprefix("api/v1/")
        raise InvalidCallError(
            f"{path!r:.80} must be relative to api/v1/, without a leading slash: {below!r:.80}"
        )
    try:
        content = codec.dumps(codec.unstructure(body))
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
    return Call(f"POST {path}", "POST", f"api/v1/{segment(path)}", codec.loads, repeat_safe, body=content)


# --- command forms accepted by both specification and recordings ---------------------------
# ``catalogue/differences.json`` lists all differences between specification and recordings.


@functools.lru_cache(maxsize=64)
def _category(name: str) -> int | str:
    """Return a category's number, or the category itself if it has none."""
    number: int | None = registry.resolve("WOType")(name).number  # spec 4.3 sends the integer; facts 9
    return name if number is None else number


def _create_work_order(content: Content) -> None:
    """Send the category as a number, and the requestor's id in both Contactid and RequestorContact."""
    order = content.get("WorkOrder")
    if order.__class__ is not dict:
        return
    if isinstance(category := order.get("TypeCategory"), str):
        order["TypeCategory"] = _category(category)
    # spec 4.3 sends Contactid; facts 5: the service drops it and uses RequestorContact
    contact_id, contact = order.get("Contactid"), order.get("RequestorContact")
    if contact_id is None and contact.__class__ is dict and contact.get("Id") is not None:
        order["Contactid"] = contact["Id"]
    elif contact_id is not None and contact is None:
        order["RequestorContact"] = {"Id": contact_id}
    elif contact_id is not None and contact.__class__ is dict and contact.get("Id") is None:
        contact["Id"] = contact_id


def _change_ap_status(content: Content) -> None:
    """Spell the key of the order's id as in the specification; the service ignores case."""
    if content.get("WorkOrderId") is not None:  # spec 4.5; facts 3.3
        content["WorkOrderid"] = content.pop("WorkOrderId")


def _create_space(content: Content) -> None:
    if content.get("CustomerId") is not None:  # spec 4.4 sends a string; facts 5: the schema says integer
        content["CustomerId"] = str(content["CustomerId"])


_ADAPTERS: dict[str, Callable[[Content], None]] = {
    "WoCreateCommand": _create_work_order,
    "ApStatusChangeCommand": _change_ap_status,
    "SpaceCreateCommand": _create_space,
}
"""Command name -> function that converts the content in place to a form that agrees with both specification
and recordings.
"""
