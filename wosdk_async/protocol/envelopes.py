"""Envelopes of responses: where their objects are, and how a success says that the call failed.

The functions on a loaded document are the definition. The Structs say the same to msgspec, so that
:func:`wosdk_async.codec.reader` reads envelope and objects in one pass. They name all documented keys and
leave a response with another key to the functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from wosdk_async import codec
from wosdk_async.errors import RefusedError
from wosdk_async.model import entity_class
from wosdk_async.protocol.responses import refused

__all__ = ["RECORD", "RESULT", "ROWS", "SPECIFIER", "document_of", "objects", "record_with", "specifier_for"]

T = TypeVar("T")
One = Callable[[Any], Any]


def objects(form: codec.Envelope, cls: type[Any] | str | None) -> Callable[[bytes], Any]:
    """Return the reader of an envelope: of objects of ``cls``, or of dicts when it is not a class."""
    if cls is None or isinstance(cls, str):
        return lambda body: form.plain(codec.loads(body), lambda data: data)
    return codec.reader(cls, form)


def document_of(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body. Raises ValueError when it is not one."""
    return _object(codec.loads(body))


def specifier_for(decode: Callable[[bytes], Any], entity: str, id: object = None) -> Callable[[bytes], Any]:
    """Return a reader that also compares type and id of the EntitySpecifier with those of the request.

    Base calls come back without a RequestId (facts 5). A response that names another entity type or id than
    the request belongs to another call: the reader raises ValueError then.
    """

    def checked(body: bytes) -> Any:
        found = decode(body)
        kind = found.entity_type
        if kind is not None and kind != entity and _plain_name(str(kind)) != _plain_name(entity):
            raise ValueError(f"it names a {str(kind)[:80]!a}, not a {entity}: the response of another call")
        _require_id(found.id, id)
        return found

    return checked


def record_with(decode: Callable[[bytes], Any], id: object) -> Callable[[bytes], Any]:
    """Return a reader that also checks the id of the record: it raises ValueError when it is not ``id``."""

    def checked(body: bytes) -> Any:
        found = decode(body)
        _require_id(found.get("Id") if isinstance(found, dict) else getattr(found, "id", None), id)
        return found

    return checked


def _plain_name(entity: str) -> str:
    """Return a form of the name that is equal for all names of an entity type.

    The server uses its own spelling (facts 3.3). Priority, SubType and Asset are other names of entities, and
    CustomField and Address are paired with CustomField2 and Address2 (facts 3.9).
    """
    known = entity_class(entity)
    return (known.wire_name if known else entity).lower().removesuffix("2")


def _require_id(found: object, id: object) -> None:
    if isinstance(id, Mapping):  # of a compound key (facts 3.1)
        id = id.get("Id")
    if id is None and isinstance(found, int) and (isinstance(found, bool) or found < 1):
        raise ValueError(f"it has the id {found}, and no record has that")
    if found is None or not isinstance(id, int | str) or found == id or str(found).strip() == str(id).strip():
        return
    raise ValueError(f"it has the id {str(found)[:80]!a}, not {id}: the response of another call")


def _object(found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ValueError(f"a JSON object was expected, not {type(found).__name__}")
    return found


# --- rows of a query, a record --------------------------------------------------------------


class _Row(Struct, Generic[T], forbid_unknown_fields=True, gc=False):
    data: T = msgspec.field(name="Data")


class _Rows(Struct, Generic[T], forbid_unknown_fields=True, gc=False):
    entities: list[_Row[T]] = msgspec.field(name="Entities")
    request_id: Any = msgspec.field(name="RequestId", default=None)


class _Record(Struct, Generic[T], forbid_unknown_fields=True, gc=False):
    data: T | UnsetType = msgspec.field(name="Data", default=UNSET)
    entities: list[_Row[T]] | UnsetType = msgspec.field(name="Entities", default=UNSET)
    request_id: Any = msgspec.field(name="RequestId", default=None)


def _plain_rows(found: Any, one: One) -> list[Any]:
    return [one(row["Data"]) for row in _object(found)["Entities"]]


def _plain_record(found: Any, one: One) -> Any:
    found = _object(found)
    if "Data" not in found:
        rows = found["Entities"]
        if not rows:
            raise refused("ERROR_CODE_1019", "no record has that id", 200)
        found = rows[0]
    data = found["Data"]
    if not isinstance(data, dict):
        raise ValueError("Data is not an object")
    return one(data)


def _typed_record(found: _Record[Any], origin: str | None) -> Any:
    if found.data is not UNSET:
        return found.data.__made__(origin)
    return found.entities[0].data.__made__(origin) if found.entities else None


ROWS = codec.Envelope(
    _plain_rows, lambda found, origin: [row.data.__made__(origin) for row in found.entities], _Rows
)
"""The records of a query: ``{Entities: [{Data}]}`` (facts 4)."""

RECORD = codec.Envelope(_plain_record, _typed_record, _Record)
"""The record of a retrieve, out of either envelope: ``{Entities: [{Data}]}`` of spec 4.9,
``{Data}`` of the recordings (facts 3.3)."""


# --- responses to writes and commands -------------------------------------------------------


class _Specifier(Struct, Generic[T], forbid_unknown_fields=True, gc=False):
    specifier: T = msgspec.field(name="EntitySpecifier")
    request_id: Any = msgspec.field(name="RequestId", default=None)


class _Result(Struct, Generic[T], forbid_unknown_fields=True, gc=False):
    result: T = msgspec.field(name="CommandResult")
    request_id: Any = msgspec.field(name="RequestId", default=None)


def _plain_specifier(found: Any, one: One) -> Any:
    specifier = _object(found)["EntitySpecifier"]
    if not isinstance(specifier, dict):
        raise ValueError("EntitySpecifier is not an object")
    return one(specifier)


def _plain_result(found: Any, one: One) -> Any:
    document = _object(found)
    result = document["CommandResult"]
    if not isinstance(result, dict):  # null is as good as none: it does not say that it was carried out
        raise ValueError(f"CommandResult is a {type(result).__name__}, not an object")
    info = next((each for name, each in result.items() if name.lower() == "errorinfo" and each), None)
    if info and not (isinstance(info, dict) and not any(info.values())):  # an empty one says nothing
        raise _refusal(info, document)
    return one(result)


def _typed_result(found: _Result[Any], origin: str | None) -> Any:
    made = found.result.__made__(origin)
    return made if made.error_info is None else None


def _refusal(info: Any, document: dict[str, Any]) -> RefusedError:
    fields = info if isinstance(info, dict) else {"Description": str(info)}
    number = fields.get("Number")
    code = f"ERROR_CODE_{number}" if number else "BUSINESS_LOGIC_ERROR"
    text = fields.get("Description") or fields.get("Type")
    return refused(code, text, 200, document.get("TimeStamp"), document.get("RequestId"))


SPECIFIER = codec.Envelope(
    _plain_specifier, lambda found, origin: found.specifier.__made__(origin), _Specifier
)
"""The ``EntitySpecifier`` of a create, update or delete (spec 4.9, facts 3.3)."""

RESULT = codec.Envelope(_plain_result, _typed_result, _Result)
"""``CommandResult``; an ``ErrorInfo`` in it is a refusal, though the status is 200 (facts 5)."""
