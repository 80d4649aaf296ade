"""Response envelopes: where a response keeps its objects.

An envelope also defines how a response with a success status reports a failed call. Each envelope is defined
by functions that take a parsed document. Structs describe the same envelopes to msgspec, so that
:func:`wosdk_async.codec.reader` decodes envelope and objects in one pass. The Structs list all documented
keys; responses with other keys are read by the functions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from wosdk_async import codec
from wosdk_async.errors import RefusedError
from wosdk_async.protocol.responses import refusal_error
from wosdk_async.protocol.wire import InconclusiveResponse

T = TypeVar("T")
_NO_ENVELOPE: Mapping[str, Any] = {}
One = Callable[[Any], Any]


def objects(form: codec.Envelope, cls: type[Any] | str | None) -> Callable[[bytes], Any]:
    """Return the decoder for an envelope of ``cls`` objects, or of dicts if ``cls`` is not a class."""
    if cls is None or isinstance(cls, str):
        return lambda body: form.plain(codec.loads(body), lambda data: data)
    return codec.reader(cls, form)  # type: ignore[arg-type]  # mypy: records are unhashable, but their class is not


def document_of(body: bytes) -> dict[str, Any]:
    """Parse a body as a JSON object. Raises ValueError for anything else."""
    return _object(codec.loads(body))


def _object(found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ValueError(f"expected a JSON object, not {type(found).__name__}")
    return found


def _document(found: Any) -> dict[str, Any]:
    """Return the members of a response. Raises InconclusiveResponse for an ``ErrorInfo`` among them."""
    document = _object(found)
    # Not shown: facts 5 shows an ErrorInfo only within a result. Here, it does not prove that nothing was
    # done.
    if error := refusal_in(document):
        raise InconclusiveResponse(200, f"the response has an ErrorInfo ({error.code}: {error.message})")
    return document


def _require_list(rows: Any) -> list[Any]:
    # Iterating over {} or "" would find no rows, and so confirm by mistake that a record is absent.
    if not isinstance(rows, list):
        raise ValueError(f"Entities is a {type(rows).__name__}, not a list")
    return rows


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


_usual_rows = codec.exact_decoder(_Rows[msgspec.Raw])
_members = codec.exact_decoder(dict[str, msgspec.Raw])
_rows = codec.exact_decoder(list[dict[str, msgspec.Raw]])


def _split(body: bytes) -> list[bytes]:
    """Return the JSON of each row, after all checks of the document."""
    codec.check_size(body)
    body.decode()  # refuses invalid text, which msgspec finds only when it decodes the row
    with contextlib.suppress(msgspec.ValidationError):
        return [bytes(row.data) for row in _usual_rows(body).entities]
    document = {
        name: _rows(value) if name == "Entities" else codec.loads(bytes(value))
        for name, value in _members(body).items()
    }
    return ROWS.plain(document, bytes)  # type: ignore[no-any-return]


def _plain_record(found: Any, one: One) -> Any:
    document = _document(found)
    if "Data" not in document and document.get("Entities") is not None:
        document = _object(next(iter(_require_list(document["Entities"])), {}))
    data = document.get("Data")
    # facts 6: the response for a missing record was not recorded. Not shown; assumed: an empty Data, which is
    # left out like any null (facts 3.4).
    if data is None and document.keys() <= {"Data", "Entities", "RequestId"}:
        raise refusal_error("ERROR_CODE_1019", "no record has that id", 200)
    if not isinstance(data, dict):
        raise ValueError("Data is not an object")
    return one(data)


def _typed_record(found: _Record[Any], origin: str | None) -> Any:
    if found.data is not UNSET:
        return found.data.__made__(origin)
    return found.entities[0].data.__made__(origin) if found.entities else None


ROWS = codec.Envelope(
    lambda found, one: [one(row["Data"]) for row in _require_list(_document(found)["Entities"])],
    lambda found, origin: [row.data.__made__(origin) for row in found.entities],
    _Rows,
    _split,
)
"""Records of a query: ``{Entities: [{Data}]}`` (facts 4)."""
_dict_rows = objects(ROWS, None)


def page_decoder(cls: type[Any] | str) -> Callable[[bytes], Any]:
    """Return the decoder of a query's pages.

    It returns the list of records, or an iterator that decodes them in slices if the page is large or has
    rows that are slow to decode.
    """
    return _dict_page if isinstance(cls, str) else codec.page_reader(cls, ROWS)  # type: ignore[arg-type]  # as in objects()


def _dict_page(body: bytes) -> list[Any] | Iterator[list[Any]]:
    if len(body) > codec.LARGE:
        with contextlib.suppress(*codec.UNREADABLE):
            return ([codec.loads(row) for row in part] for part in codec.slices(_split(body)))
    return _dict_rows(body)  # type: ignore[no-any-return]


RECORD = codec.Envelope(_plain_record, _typed_record, _Record)
"""Record of a retrieve, in either envelope: ``{Entities: [{Data}]}`` of spec 4.9, or ``{Data}`` of the
recordings (facts 3.3).
"""


# --- responses to writes and commands -------------------------------------------------------


class _Specifier(Struct, Generic[T], forbid_unknown_fields=True, gc=False):
    specifier: T = msgspec.field(name="EntitySpecifier")
    request_id: Any = msgspec.field(name="RequestId", default=None)


class _Result(Struct, Generic[T], forbid_unknown_fields=True, gc=False):
    result: T = msgspec.field(name="CommandResult")
    request_id: Any = msgspec.field(name="RequestId", default=None)


def _plain_specifier(found: Any, one: One) -> Any:
    specifier = _document(found)["EntitySpecifier"]
    if not isinstance(specifier, dict):
        raise ValueError("EntitySpecifier is not an object")
    return one(specifier)


def _plain_result(found: Any, one: One) -> Any:
    document = _document(found)
    result = document["CommandResult"]
    # Like a missing result, null does not confirm that the call was carried out.
    if not isinstance(result, dict):
        raise ValueError(f"CommandResult is a {type(result).__name__}, not an object")
    if refusal := refusal_in(result, document):
        others = (each for name, each in result.items() if name.lower() != "errorinfo")
        if not any(isinstance(each, dict | list) and each for each in others):
            raise refusal
        # facts 5 shows no record together with an ErrorInfo. Not shown; assumed: the record may be stored.
        why = f"the result has both a record and an ErrorInfo ({refusal.code}: {refusal.message})"
        raise InconclusiveResponse(200, why)
    _require_no_refused_element(result)
    return one(result)


def _require_no_refused_element(result: dict[str, Any]) -> None:
    """Raise InconclusiveResponse if one of several commands was refused: others may have been carried out."""
    # facts 5: each element of a CompositeCommand's Responses has its own ErrorInfo
    elements = next((value for name, value in result.items() if name.lower() == "responses"), None)
    for at, element in enumerate(elements if isinstance(elements, list) else ()):
        if isinstance(element, dict) and (refusal := refusal_in(element)):
            why = f"the service refused command {at + 1} ({refusal.code}: {refusal.message})"
            raise InconclusiveResponse(200, f"{why}; it may have carried out the other commands")


def _typed_result(found: _Result[Any], origin: str | None) -> Any:
    result = found.result  # a Struct, which lacks fields that were never sent
    is_plain = getattr(result, "error_info", None) is not None or getattr(result, "responses", None)
    return None if is_plain else result.__made__(origin)


def refusal_in(result: dict[str, Any], document: Mapping[str, Any] = _NO_ENVELOPE) -> RefusedError | None:
    """Return the refusal in a result's ``ErrorInfo`` (facts 5); None if the ErrorInfo is missing or empty."""
    info = next((each for name, each in result.items() if name.lower() == "errorinfo" and each), None)
    if not info or (isinstance(info, dict) and not any(info.values())):
        return None
    fields = info if isinstance(info, dict) else {"Description": str(info)}
    number = fields.get("Number")
    code = f"ERROR_CODE_{number}" if number else "BUSINESS_LOGIC_ERROR"
    text = fields.get("Description") or fields.get("Type")
    return refusal_error(code, text, 200, document.get("TimeStamp"), document.get("RequestId"))


SPECIFIER = codec.Envelope(
    _plain_specifier, lambda found, origin: found.specifier.__made__(origin), _Specifier
)
"""``EntitySpecifier`` of a create, update or delete (spec 4.9, facts 3.3)."""

RESULT = codec.Envelope(_plain_result, _typed_result, _Result)
"""``CommandResult``; its ``ErrorInfo`` is a refusal, even with status 200 (facts 5).

An ErrorInfo leaves the call in doubt if it comes with a record or in an element of ``Responses``.
"""
