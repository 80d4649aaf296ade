"""Records in Pydantic: model fields, ``TypeAdapter``, and parameters and results of FastAPI routes.

Pydantic finds this module through a hook on all model classes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Annotated, Any, TypeVar

from pydantic import ValidationError  # first, so that the ImportError names the package to install
from pydantic_core import (
    InitErrorDetails,
    PydanticCustomError,
    PydanticSerializationError,
    core_schema,
    to_jsonable_python,
)

from wosdk_async.codec.dicts import reachable
from wosdk_async.codec.json_schema import class_schema
from wosdk_async.codec.records import Unknown, to_dict
from wosdk_async.errors import InvalidCallError
from wosdk_async.model.base import Record
from wosdk_async.web.validation import InvalidRecordError, require_known, validated

__all__ = ["Strict", "UnknownRefused", "encode_records", "record_schema"]

T = TypeVar("T")

_unknown: ContextVar[Unknown] = ContextVar("unknown", default="keep")
"""Handling of unknown names and enum values in the records being validated."""


def record_schema(cls: type[Record]) -> core_schema.CoreSchema:
    """Return the schema for Pydantic to validate, serialize and describe records of ``cls``."""
    return core_schema.no_info_plain_validator_function(
        lambda value: _checked(cls.__name__, lambda: validated(cls, value, unknown=_unknown.get())),
        serialization=core_schema.plain_serializer_function_ser_schema(
            _serialize, info_arg=True, when_used="json"
        ),
        metadata={"pydantic_js_annotation_functions": [lambda _, handler: _describe(cls, handler)]},
    )


def _serialize(record: Any, info: core_schema.SerializationInfo) -> Any:
    if not isinstance(record, Record):
        return record  # a model created without validation may hold any value
    try:
        return to_dict(record, names="python" if info.by_alias is False else "wire")
    except InvalidCallError as error:
        raise PydanticSerializationError(error.explained()) from error


def _checked(title: str, check: Callable[[], T]) -> T:
    """Return the result of ``check``; turn its InvalidRecordError into Pydantic's error."""
    errors: list[InitErrorDetails] = []
    try:
        return check()
    except InvalidRecordError as error:
        for fault in error.faults:
            kind = PydanticCustomError("record", "{message}", {"message": fault.message})
            errors.append({"type": kind, "loc": fault.place, "input": fault.value})
    raise ValidationError.from_exception_data(title, errors)


class UnknownRefused:
    """Annotation that rejects fields and enum values missing from the catalogue."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        """Return the type's schema with the check added."""
        return core_schema.no_info_wrap_validator_function(_known, handler(source))


Strict = Annotated[T, UnknownRefused()]
"""``Strict[WorkOrder]``, ``Strict[list[WorkOrder]]``: unknown fields and enum values are errors."""


def _known(value: Any, handler: Callable[[Any], T]) -> T:
    outer = _unknown.set("refuse")  # a record reports its unknown names together with its other faults
    try:
        found = handler(value)
    finally:
        _unknown.reset(outer)
    _checked("Strict", lambda: require_known(found))
    return found


def encode_records() -> None:
    """Let FastAPI routes without a return type return records. Call once at startup.

    Routes with a return type work without this, because FastAPI then uses Pydantic. Other routes use the
    table in ``fastapi.encoders``; this function adds records to it.
    """
    from fastapi.encoders import encoders_by_class_tuples  # optional dependency

    encoders_by_class_tuples[_encode] = (Record,)


def _encode(record: Record) -> Any:
    return to_jsonable_python(to_dict(record))  # exact numbers become strings


def _describe(cls: type[Record], handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Add ``cls`` and the classes of its records to the OpenAPI document; return a reference to ``cls``."""
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
