"""Rules for plans: refusals, names, marker, and the preview that a person approves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from typing import Any, Literal

import attrs

from wosdk_async import codec
from wosdk_async.codec.masking import mask_fields
from wosdk_async.codec.record_dicts import wire_name_of
from wosdk_async.errors import InvalidCallError, UnknownNameError
from wosdk_async.mcp.fitting import MAX_BYTES, bytes_of, plain_number
from wosdk_async.mcp.results import id_in
from wosdk_async.mcp.rows import entity_named
from wosdk_async.model import Command, Record, WoCreateCommand, command_class, index, registry
from wosdk_async.model.metadata import is_nested
from wosdk_async.options.hooks import DryRun
from wosdk_async.protocol.arguments import untyped_field
from wosdk_async.protocol.wire import Call, Response
from wosdk_async.text.safe_text import Secrets, is_secret_name, one_line
from wosdk_async.text.suggestions import suggestion

_DELETING = re.compile("delet|remov", re.IGNORECASE)  # facts 3.4: a removal can also be a flag, IsRemoved
_NO_DELETE = "agents cannot delete; a person can, with `wosdk delete`"
_PLAN_ID = re.compile(r"\s*mcp-[0-9a-f]{16}\s*", re.IGNORECASE)
_ORDER_MARKER = "PoNumber"
_NO_MARKER = "none"
_COMPUTED = "DisplayAs"  # cannot be a marker. facts 3.4: the service computes it, at least for contacts
_MAX_HIDDEN = 20
_MAX_DEPTH = 30
_MASK = "***"


def refuse_command(kind: type[Command[Any]]) -> None:
    """Raise InvalidCallError if a command deletes something, changes nothing, or can contain any command."""
    name = kind.wire_name
    if _DELETING.search(name):
        raise InvalidCallError(f"{name}: {_NO_DELETE}")
    if kind.repeat == "safe":
        raise InvalidCallError(f"{name} changes nothing, so it needs no plan")
    if carried := untyped_field(kind):
        raise InvalidCallError(
            f"a plan cannot check {name}, because its {carried} can contain any record or command;"
            " use the action create or update, or plan each command separately"
        )


def refuse_fields(value: Any) -> None:
    """Raise InvalidCallError for a deletion flag, and for a secret, which plans and chats would store."""
    for _, name, item in _members(value):
        if is_secret_name(name):
            raise InvalidCallError(f"{name!r:.60} is a secret; set this field without an agent")
        if _DELETING.search(name) and item:
            raise InvalidCallError(f"{name!r:.60}: {_NO_DELETE}")


def _members(value: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield every field's path, name and value; list elements have the list's path and no name."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            inner = f"{path}.{name}"[:100] if path else str(name)[:100]
            yield inner, str(name), item
            yield from _members(item, inner)
    elif isinstance(value, list):
        for item in value:
            yield path, "", item
            yield from _members(item, path)


def refuse_emptied_lists(kind: type[Record], fields: Mapping[str, Any]) -> None:
    """Raise InvalidCallError for an update that contains an empty list."""
    lists = {meta["name"] for meta in kind.__wire__.values() if meta.get("many")}
    for name in lists.intersection(fields):
        if not fields[name]:
            raise InvalidCallError(f"{name}: the service ignores empty lists, and {_NO_DELETE}")


def refuse_plan_ids(fields: Mapping[str, Any]) -> None:
    """Raise InvalidCallError for a string that is a plan id.

    Plan ids are markers: a record with another plan's id would be mistaken for that plan's result.
    """
    for path, _, value in _members(fields):
        if isinstance(value, str) and _PLAN_ID.fullmatch(value):
            raise InvalidCallError(
                f"{path} is the id of a plan; only commit writes plan ids, so use another value"
            )


def class_of(action: str, name: str) -> type[Record]:
    """Return the class of a plan's command or entity. Raises UnknownNameError."""
    if action != "command":
        return entity_named(name)
    found = command_class(name)
    if found is None:
        near = suggestion(name, index.COMMANDS) or "; the describe tool lists all names"
        raise UnknownNameError(f"there is no command {name!r:.80}{near}")
    return found


def service_names(cls: type[Record], value: Any) -> Any:
    """Convert the field names in a record's JSON to service names, at every depth; keep unknown names.

    A name may be an alias or a Python name, in any letter case. Raises InvalidCallError if two names mean the
    same field.
    """
    if isinstance(value, list):
        return [service_names(cls, item) for item in value]
    if not isinstance(value, Mapping):
        return value
    exact, meant_by = wire_name_of(cls)  # type: ignore[arg-type]  # mypy: records are unhashable
    inner = {meta["name"]: meta["of"] for meta in cls.__wire__.values() if is_nested(meta)}
    converted: dict[str, Any] = {}
    for name, item in value.items():
        meant = exact.get(name) or meant_by.get(name.lower()) or name
        if meant in converted:
            raise InvalidCallError(f"{cls.__name__} has the field {meant} twice, once spelled {name!r:.60}")
        converted[meant] = service_names(registry.resolve(inner[meant]), item) if meant in inner else item
    return converted


def order_id(fields: Mapping[str, Any]) -> int | None:
    """Return a command's work order id, given as a number or string; None if it is missing or invalid."""
    return id_in(str(fields.get("WorkOrderId")))


def with_marker(
    action: str, name: str, fields: dict[str, Any], wanted: str, id: str
) -> tuple[dict[str, Any], str | None]:
    """Return the fields with the plan's id as marker, and the marker's Python path, if any.

    ``wanted`` is the field chosen by the agent; empty for the default, ``none`` for no marker. Raises
    InvalidCallError if the field cannot be a marker, or already has a value.
    """
    is_order = action == "command" and name == WoCreateCommand.wire_name
    if wanted == _NO_MARKER:
        return fields, None
    if action == "update" or (action == "command" and not is_order):
        if wanted:
            raise InvalidCallError("only a new record can have a marker; leave 'marker' out")
        return fields, None
    holder = fields.get("WorkOrder") if is_order else fields
    if not isinstance(holder, dict):
        raise InvalidCallError("the field 'WorkOrder' is missing; put the order's fields there")
    given = {field for field, value in holder.items() if value is not None}
    key = wanted or (_ORDER_MARKER if is_order and _ORDER_MARKER not in given else "")
    if not key:
        return fields, None
    if key in given:
        raise InvalidCallError(f"the marker field {key!r:.60} has a value; remove it, or name another marker")
    if key.lower() == _COMPUTED.lower():
        raise InvalidCallError(f"marker {key!r:.60}: the service may overwrite it; name another field")
    owner: Any = entity_named("WorkOrder" if is_order else name)
    python = next((python for python, meta in owner.__wire__.items() if meta["name"] == key), None)
    if python is None or owner.__wire__[python]["type"] != "string":
        raise InvalidCallError(f"marker {key!r:.60}: {owner.wire_name} has no text field of this name")
    if is_order:
        return {**fields, "WorkOrder": {**holder, key: id}}, f"work_order.{python}"
    return {**fields, key: id}, python


def planned_view(calls: list[Call[Any]], secrets: Secrets) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the requests that ``calls`` would send, and notes about hidden values.

    The RequestId is omitted, because each commit gets a new one. Requests that cannot be shown in full are
    refused.
    """
    view = _View(secrets)
    requests = []
    for call in calls:
        body = codec.loads(call.body) if call.body else None
        if isinstance(body, dict):
            body.pop("RequestId", None)
        requests.append(
            {"method": call.method, "path": view.of(call.path, "path", 0), "body": view.of(body, "body", 0)}
        )
    size = bytes_of(requests)
    if size > MAX_BYTES:
        raise InvalidCallError(
            f"the change is too large to show in full ({size:,} bytes, limit {MAX_BYTES:,}); split it"
        )
    if len(view.hidden) > _MAX_HIDDEN:
        raise InvalidCallError(
            f"{len(view.hidden)} values look like secrets and could not be shown; leave secrets out"
        )
    why = f"looks like a secret: {_MASK} hides it wholly or partly here, but commit sends all of it."
    return requests, [f"{path} {why}" for path in view.hidden]


@attrs.define
class _View:
    """Preview of request bodies, and the paths of hidden values."""

    secrets: Secrets
    hidden: list[str] = attrs.field(factory=list)

    def of(self, value: Any, path: str, depth: int) -> Any:
        """Return a value as commit would send it, but escaped and without secrets."""
        if depth > _MAX_DEPTH:
            raise InvalidCallError(f"the change is nested more than {_MAX_DEPTH} levels deep; split it")
        if isinstance(value, Mapping):
            return {self._name(name): self._field(name, item, path, depth) for name, item in value.items()}
        if isinstance(value, list):
            return [self.of(item, f"{path}[{at}]", depth + 1) for at, item in enumerate(value)]
        if isinstance(value, str):
            masked = str(mask_fields(value, self.secrets))
            if masked != value:
                self.hidden.append(path)
            return one_line(masked)
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return plain_number(value)
        return value

    def _name(self, name: str) -> str:
        shown = one_line(self.secrets.hide(name, len(name)))
        if shown != name or len(name) > 100:  # a changed name could look like another
            raise InvalidCallError(f"the name {shown:.60} cannot be shown unchanged; leave it out")
        return name

    def _field(self, name: str, value: Any, path: str, depth: int) -> Any:
        inner = f"{path}.{name}"
        if is_secret_name(name) and value is not None and not isinstance(value, bool):
            self.hidden.append(inner)
            return _MASK
        return self.of(value, inner, depth + 1)


class WriteGate:
    """``before_send`` hook that refuses every change outside a plan.

    This is a second safeguard: even a tool with a bug cannot send an unplanned change through a client with
    this hook.
    """

    def __init__(self) -> None:
        self._open: ContextVar[DryRun | bool] = ContextVar("wosdk_mcp_gate", default=False)

    @contextmanager
    def open(self, how: DryRun | Literal[True]) -> Iterator[None]:
        """Let the calls of a block be sent, or collect them in a DryRun.

        Before calls are sent, their plan must be in the journal with the state ``sending``.
        """
        before = self._open.set(how)
        try:
            yield
        finally:
            self._open.reset(before)

    async def __call__(self, call: Call[Any], company: str) -> Response | None:
        """Let a call pass, collect it, or refuse it."""
        how = self._open.get()
        if isinstance(how, DryRun):
            return await how(call, company)
        if call.reads or how:
            return None
        raise InvalidCallError("not sent: the change is not part of a plan; call plan, then commit")
