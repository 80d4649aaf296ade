"""Matching of responses to calls by RequestId, or by entity and id."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from operator import attrgetter
from typing import Annotated, Any

import msgspec

from wosdk_async import codec
from wosdk_async.codec.json import UNREADABLE
from wosdk_async.errors import RefusedError
from wosdk_async.model import Command, Record, entity_class, registry
from wosdk_async.model.lazy import raw_slot
from wosdk_async.protocol.verdicts import is_early
from wosdk_async.protocol.wire import COMMANDS, NOTHING_SENT, Call, InconclusiveResponse, Response
from wosdk_async.protocol.writes import Effect
from wosdk_async.text.safe_text import Secrets

_MAX_ID = 80  # maximum characters shown of another call's RequestId
_HOW_TO_SKIP = "; Client(check_request_ids=False) turns this check off"
_LAST = re.compile(rb'"requestid"\s*:\s*"([^"\\]*)"\s*\}\s*$', re.IGNORECASE)
_TAIL = 1024  # bytes at the end of a body in which its last key is searched for
LONG = 1024 * 1024
"""Maximum bytes of a body that is parsed to find a key; error bodies have a few hundred."""


def members(body: bytes) -> dict[str, Any]:
    """Return the members of a JSON object; an empty dict for anything else."""
    try:
        found = codec.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class RequestIds:
    """Comparison of each response's RequestId with the request's.

    A response with a different RequestId belongs to another call. After one surplus response on a connection,
    each later request gets the previous request's response.

    A command's response repeats the RequestId as the last key, in every success (spec 4.2) and in every
    recorded error (facts 5 and 12 row 9). The error body of spec 7 has no RequestId. A query's response
    repeats the RequestId if the query sent one (facts 4). A response without a RequestId is accepted until
    its host has sent one in a response of the same kind.
    """

    def __init__(self) -> None:
        self._echoing: set[tuple[str, bool, bool]] = set()
        """Kinds of responses that have carried a RequestId, as (host, is command, is success)."""
        # GIL: loops in several threads share the set; adding and looking up are atomic.

    def check(
        self,
        call: Call[Any],
        sent: str,
        response: Response,
        host: str,
        secrets: Secrets,
        failure: RefusedError | None = None,
    ) -> bool:
        """Return whether the response carries the RequestId that was sent.

        ``failure`` is the response's refusal, if any.

        Raises:
            InconclusiveResponse: the response cannot belong to ``call``. The error shows no ``secrets``.
        """
        kind = (host, call.path.startswith(COMMANDS), failure is None)
        # Try a cheap test first: compact JSON ends with these bytes when the RequestId is its last key.
        if response.body.endswith(b'"RequestId":"%b"}' % sent.encode()):
            self._echoing.add(kind)
            return True
        found = _request_id_in(response.body)
        if found is None:
            if kind in self._echoing and not (failure is not None and is_early(failure)):
                why = f"the response carries no RequestId, but this host has sent one before{_HOW_TO_SKIP}"
                raise InconclusiveResponse(response.status, why)
            return False
        # Not shown; assumed: a refusal without a code may come from a gateway, with a RequestId of its own.
        # Such a refusal does not show whether the service sends RequestIds.
        if failure is None or failure.code:
            self._echoing.add(kind)
        if found.strip().lower() != sent.lower():
            shown = secrets.hide(found, _MAX_ID)
            why = f"the response carries the RequestId {shown!a} of another call{_HOW_TO_SKIP}"
            raise InconclusiveResponse(response.status, why)
        return True


def _request_id_in(body: bytes) -> str | None:
    """Return a body's RequestId, whose key is case-insensitive; None if missing."""
    # A body may reach 64 MB. If it does not end with the key, it is parsed only if it is short, and contains
    # the key in the usual spelling or, near the end, in any spelling.
    tail = body[-_TAIL:]
    if last := _LAST.search(tail):
        return last[1].decode("utf-8", "replace")
    if len(body) > LONG or (body.find(b'"RequestId"') < 0 and tail.lower().find(b'"requestid"') < 0):
        return None
    found: Mapping[str, Any] = members(body)
    value = found.get("RequestId")
    if value is None:  # facts 3.3: names are case-insensitive
        value = next((each for key, each in found.items() if key.lower() == "requestid"), None)
    return None if value is None else str(value)


def require_no_request_id(call: Call[Any], response: Response) -> None:
    """Raise InconclusiveResponse if the response carries a RequestId and the request did not.

    The service repeats only a RequestId that was sent, and record calls send none (facts 5).
    """
    if _request_id_in(response.body) is not None and b"requestid" not in (call.body or b"").lower():
        why = f"the response carries a RequestId, but none was sent: it belongs to another call{_HOW_TO_SKIP}"
        raise InconclusiveResponse(response.status, why)


# --- records ---------------------------------------------------------------------------------


def specifier_for(
    decode: Callable[[bytes], Any], entity: str, id: object, *, is_new: bool = False
) -> Callable[[bytes], Any]:
    """Return a decoder that also compares the EntitySpecifier's type and id with the request's.

    Responses to record calls have no RequestId (facts 5). If the type or id differs, the response belongs to
    another call, and the decoder raises ValueError. It also raises ValueError if a create's response names no
    record.
    """

    def checked(body: bytes) -> Any:
        found = decode(body)
        kind = found.entity_type
        if kind is not None and kind != entity and _plain_name(str(kind)) != _plain_name(entity):
            raise ValueError(f"it names a {str(kind)[:80]!a} instead of {entity}: it belongs to another call")
        if not is_new:
            _require_id(found.id, id)
        elif not isinstance(found.id, Mapping) or not found.id:  # a compound key is an object (facts 3.1)
            _require_named(found.id, body)
        return found

    return checked


def record_with(decode: Callable[[bytes], Any], id: object) -> Callable[[bytes], Any]:
    """Return a decoder that raises ValueError if the record has an id other than ``id``."""

    def checked(body: bytes) -> Any:
        found = decode(body)
        _require_id(found.get("Id") if isinstance(found, dict) else getattr(found, "id", None), id)
        return found

    return checked


def _plain_name(entity: str) -> str:
    """Normalize an entity name, so that all names of an entity type become equal.

    The server uses its own spelling (facts 3.3). The entity types WoPriority, WorkOrderType and Location are
    also called Priority, SubType and Asset; CustomField2 and Address2 have legacy versions without the 2
    (facts 3.9).
    """
    known = entity_class(entity)
    return (known.wire_name if known else entity).lower().removesuffix("2")


def _require_named(id: object, body: bytes) -> None:
    """Raise ValueError unless ``id``, read from ``body``, can belong to a new record."""
    if body is NOTHING_SENT:
        return
    # facts 6: a create that was answered without a specifier is an error (ENTITYSPECIFIER_NOT_FOUND)
    if not isinstance(id, int | float | Decimal | str) or id == "":
        raise ValueError("it names no record")
    if isinstance(id, bool) or (not isinstance(id, str) and id < 1):
        raise ValueError(f"it has the id {id}, which no record can have")


def _require_id(found: object, id: object) -> None:
    if isinstance(id, Mapping):  # a compound key (facts 3.1), which may contain an Id
        id = id.get("Id")
    if found is None or not isinstance(id, int | str) or found == id or str(found).strip() == str(id).strip():
        return
    raise ValueError(f"it has the id {str(found)[:80]!a}, not {id}: it belongs to another call")


# --- results of commands ----------------------------------------------------------------------

_RECORDS = {  # facts 5
    "WoActionResponse": ("wo", "id", "work_order_id"),
    "FinancialStatusChangeResponse": ("financial", "id", "work_order_id"),  # a cost has its order's id
    "SendWorkOrderResponse": ("work_order", "id", "work_order_id"),
    "VerifyWorkResponse": ("work_verification", "work_order_id", "work_order_id"),
    "WorkZoneCommandResponse": ("work_zone", "id", "work_zone_id"),
    "UpdateInvoiceStateCommandResponse": ("invoice", "id", "invoice_id"),
    "SpaceCreateCommandResponse": ("new_space", "id", ""),
    "OperationCommandResponse": ("entity_specifier", "id", "id"),  # facts 3.3
}
"""Result class -> member with the record, and the names of the id in the record and in the request."""

_CREATES = {
    "WoCreateCommand",  # spec 4.3
    "SpaceCreateCommand",  # spec 4.4
    "WorkZoneCreateCommand",  # facts 5
    "WoCopyCommand",  # facts 5
    "CreateCommand",  # facts 5
}
_UNSEEN = "GeneratePmWoCommand"  # facts 5: creates a work order, but its result was not seen


def result_for(
    decode: Callable[[bytes], Any], command: type[Command[Any]] | None
) -> tuple[Callable[[bytes], Any], Callable[[Mapping[str, Any]], Callable[[bytes], Any]] | None]:
    """Return a decoder of a command's result, and a function that makes a decoder from a request's content.

    The function is None if the result has no record to compare with the request. The decoders raise
    ValueError if a record's id differs from the request's, or if a create's result names no record. Results
    of other commands may omit their record (spec 4.10).
    """
    if command is None or (where := _RECORDS.get(command.result_name)) is None:
        return decode, None
    member, id_in_record, id_in_request = where
    id_of = _id_reader(registry.resolve(command.result_name), member, id_in_record)
    if command.wire_name in _CREATES:
        return _create_result(decode, id_of), None
    if command.wire_name == _UNSEEN:
        return decode, None
    return decode, functools.partial(_compared, decode, id_of, member, id_in_request)


_Id = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]


class _Created(msgspec.Struct, gc=False):
    id: _Id = msgspec.field(name="Id")
    number: str | None = msgspec.field(name="Number", default=None)
    version: _Id | None = msgspec.field(name="ConcurrencyId", default=None)


def effect_reader(
    decode: Callable[[bytes], Any], result_in: Any, command: type[Command[Any]]
) -> Callable[[bytes], Any]:
    """Return a decoder that reads only a create's :class:`Effect`, not its record, to save time.

    ``result_in`` is the generic Struct of the envelope. The decoder passes refusals and unexpected results to
    ``decode``. If the command is not a create, this function returns ``decode`` itself.
    """
    table = registry.resolve(command.result_name).__wire__
    member = _RECORDS.get(command.result_name, ("",))[0]
    if command.wire_name not in _CREATES or table[member]["type"] != "ref":
        return decode
    entity: str = table[member]["of"]
    others = [meta["name"] for name, meta in table.items() if name not in (member, "error_info")]
    fields: list[Any] = [("created", _Created, msgspec.field(name=table[member]["name"]))]
    fields += [(name, msgspec.Raw, msgspec.field(name=name, default=msgspec.Raw())) for name in others]
    result = msgspec.defstruct("_Result", fields, forbid_unknown_fields=True, gc=False)
    decode_created = msgspec.json.Decoder(result_in[result]).decode

    def effect_in(body: bytes) -> Any:
        try:
            created = decode_created(body).result.created
        except UNREADABLE:
            created = None
        if created is None:
            return decode(body)
        return Effect(entity, created.id, created.number, created.version)

    return effect_in


def _id_reader(result: type[Any], member: str, id_in_record: str) -> Callable[[Any], Any]:
    """Return a function that takes a result (a ``result`` object or a dict) and returns its record's id."""
    id_in_object = attrgetter(f"{raw_slot(result, member)}.{id_in_record}")

    def id_of(found: Any) -> Any:
        try:
            return id_in_object(found)
        except AttributeError:  # a dict, or no record
            return _member(_member(found, member), id_in_record)

    return id_of


def _compared(
    decode: Callable[[bytes], Any],
    id_of: Callable[[Any], Any],
    member: str,
    id_in_request: str,
    content: Mapping[str, Any],
) -> Callable[[bytes], Any]:
    asked = _member(content, member) or _member(content, "entity") or content  # facts 5: generic commands
    if (sent := _member(asked, id_in_request)) is None:
        return decode

    def checked(body: bytes) -> Any:
        found = decode(body)
        _require_id(id_of(found), sent)
        return found

    return checked


def _create_result(decode: Callable[[bytes], Any], id_of: Callable[[Any], Any]) -> Callable[[bytes], Any]:
    def checked(body: bytes) -> Any:
        found = decode(body)
        id = id_of(found)
        if type(id) is not int or id < 1:  # rarely
            _require_named(id, body)
        return found

    return checked


def _member(found: Any, name: str) -> Any:
    """Return a field of a dict or record; None if missing. A lazy field's object is not created."""
    if not isinstance(found, Record) and isinstance(found, Mapping):  # facts 3.3: names are case-insensitive
        key = name.replace("_", "")
        return next((value for each, value in found.items() if each.lower() == key), None)
    return getattr(found, raw_slot(type(found), name), None)
