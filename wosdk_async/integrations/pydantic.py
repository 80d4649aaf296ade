"""Our classes in Pydantic: fields of models, ``TypeAdapter``, parameters and results of FastAPI's routes.

Pydantic finds this by itself, through a hook that every class of the model has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic_core import (
    InitErrorDetails,
    PydanticCustomError,
    PydanticSerializationError,
    ValidationError,
    core_schema,
)

from wosdk_async.codec import dumps
from wosdk_async.errors import InvalidCallError
from wosdk_async.json_schema import class_schema, reachable
from wosdk_async.model.base import Record
from wosdk_async.protocol.validation import problems
from wosdk_async.records import from_dict, to_dict
from wosdk_async.safe_text import one_line, shortened

__all__ = ["record_schema"]

_MAX_ERRORS = 50  # of one body
_LONGEST = 200  # characters of a text in an error


def record_schema(cls: type[Record]) -> core_schema.CoreSchema:
    """Return how Pydantic validates, writes and describes records of ``cls``."""
    return core_schema.no_info_plain_validator_function(
        lambda value: _validate(cls, value),
        serialization=core_schema.plain_serializer_function_ser_schema(
            _serialize, info_arg=True, when_used="json"
        ),
        metadata={"pydantic_js_annotation_functions": [lambda _, handler: _describe(cls, handler)]},
    )


def _serialize(record: Any, info: core_schema.SerializationInfo) -> Any:
    if not isinstance(record, Record):
        return record  # of a model that was made without validation
    try:
        return to_dict(record, names="python" if info.by_alias is False else "wire")
    except InvalidCallError as error:
        raise PydanticSerializationError(error.message) from error


# --- validation ------------------------------------------------------------------------------


def _validate(cls: type[Record], value: Any) -> Record:
    if isinstance(value, cls):
        return value
    if not isinstance(value, Mapping):
        raise _fault(f"is an object of {cls.__name__}, not {type(value).__name__}")
    try:
        record = from_dict(cls, value)
        errors = [*_errors(record), *_unwritable(record)]
    except InvalidCallError as error:
        errors = [_error(error.message)]
    except RecursionError:
        errors = [_error("is nested too deeply")]
    if errors:
        raise ValidationError.from_exception_data(cls.__name__, errors[:_MAX_ERRORS])
    return record


def _errors(record: Record) -> Iterator[InitErrorDetails]:
    for found in problems(record):
        if found.severity == "error":
            place, value = _place(record, found.path)
            yield _error(found.message, place, value)


def _unwritable(record: Record) -> Iterator[InitErrorDetails]:
    """Yield what JSON or the service cannot take anywhere: NaN, huge integers, half a surrogate pair."""
    try:
        dumps(to_dict(record, secrets=True))
    except ValueError as error:
        yield _error(str(error))


def _place(record: Record, path: str) -> tuple[tuple[str | int, ...], Any]:
    """Return a path of Python names as names of the service, and the value there."""
    place: list[str | int] = []
    value: Any = record
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if index:
            place.append(int(index))
            value = value[int(index)] if isinstance(value, list) else None
        elif isinstance(value, Record) and name in value.__wire__:
            place.append(value.__wire__[name]["name"])
            value = getattr(value, name)
        else:
            place.append(_text(name))
            value = value.get(name) if isinstance(value, dict) else None
    return tuple(place), value


def _error(message: str, place: tuple[str | int, ...] = (), value: Any = None) -> InitErrorDetails:
    # The value goes into the response of a web back end, which must be able to write it as JSON.
    shown = value if value is None or isinstance(value, bool) else _text(str(value))
    return {"type": _fault(message), "loc": place, "input": shown}


def _fault(message: str) -> PydanticCustomError:
    return PydanticCustomError("record", "{message}", {"message": _text(message)})


def _text(text: str) -> str:
    return one_line(shortened(text, _LONGEST)).encode("utf-8", "backslashreplace").decode()


# --- JSON Schema -----------------------------------------------------------------------------


def _describe(cls: type[Record], handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Add the classes of the records in ``cls`` to the document; return the reference to ``cls``."""
    described = [_described(each) for each in reachable(cls)]
    return handler(core_schema.definitions_schema(_reference(cls), described))


def _described(cls: type[Record]) -> core_schema.CoreSchema:
    def describe(_: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        return class_schema(cls, lambda other: handler(_reference(other)))

    return core_schema.any_schema(ref=_name(cls), metadata={"pydantic_js_annotation_functions": [describe]})


def _reference(cls: type[Record]) -> core_schema.DefinitionReferenceSchema:
    return core_schema.definition_reference_schema(_name(cls))


def _name(cls: type[Record]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}:{id(cls)}"
