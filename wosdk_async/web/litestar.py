"""Records in Litestar: ``Litestar(route_handlers, plugins=[RecordPlugin()])``.

Routes can then take and return records, lists of records, or None.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, cast

from litestar import Response
from litestar.dto import AbstractDTO, DTOConfig
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.exceptions import ValidationException
from litestar.openapi.spec import Reference, Schema
from litestar.plugins import OpenAPISchemaPlugin, SerializationPlugin
from litestar.typing import FieldDefinition

from wosdk_async.codec import loads
from wosdk_async.codec.dicts import reachable
from wosdk_async.codec.json_schema import class_schema
from wosdk_async.codec.record_dicts import Names
from wosdk_async.codec.records import Unknown, to_dict
from wosdk_async.model.base import Record
from wosdk_async.web.validation import Fault, InvalidRecordError, misplaced, validated

__all__ = ["RecordPlugin"]


class RecordPlugin(SerializationPlugin, OpenAPISchemaPlugin):
    """Plugin for routes that take and return records.

    An invalid body raises a ``ValidationException`` (400) whose ``extra`` lists each invalid field.

    Args:
        names: field names in responses and in the OpenAPI document, as in :func:`wosdk_async.to_dict`.
            Requests may use service names and Python names.
        unknown: ``"refuse"`` rejects fields and enum values missing from the catalogue; ``"keep"`` accepts
            them.
    """

    def __init__(self, *, names: Names = "wire", unknown: Unknown = "keep") -> None:
        self._names = names
        self._unknown = unknown

    def supports_type(self, field_definition: FieldDefinition) -> bool:
        """Return whether a type is a model class."""
        return _is_record(field_definition)

    def create_dto_for_type(self, field_definition: FieldDefinition) -> type[AbstractDTO[Any]]:
        """Return the class that reads and writes bodies with records of a type."""
        names = {"names": self._names, "unknown": self._unknown, "field": field_definition}
        return type(f"RecordDTO[{field_definition.raw}]", (RecordDTO,), {**names, "config": DTOConfig()})

    is_plugin_supported_field = supports_type

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Any:
        """Add the schemas of a class and its nested records; return a reference to the class's schema."""
        registry = schema_creator.schema_registry

        def refer(cls: type[Record]) -> dict[str, Any]:
            return {"$ref": registry.get_reference_for_field_definition(FieldDefinition.from_annotation(cls))}

        cls = cast("type[Record]", field_definition.annotation)
        kinds = [(each, FieldDefinition.from_annotation(each)) for each in reachable(cls)]
        schemas = [(each, registry.get_schema_for_field_definition(field)) for each, field in kinds]
        for each, schema in schemas:
            if schema.properties is None:
                for name, value in _options(class_schema(each, refer, names=self._names)).items():
                    setattr(schema, name, value)
        return refer(cls)["$ref"]


def _is_record(field: FieldDefinition) -> bool:
    return field.is_subclass_of(Record)


class RecordDTO(AbstractDTO[Any]):
    """Body with records, created by Litestar for each request."""

    names: Names
    unknown: Unknown
    field: FieldDefinition

    def decode_builtins(self, value: Any) -> Any:
        """Return the records in submitted form data."""
        try:
            return _read(self.field, value, self.unknown)
        except InvalidRecordError as error:
            faults = [(each.message, ".".join(map(str, each.place))) for each in error.faults]
        extra = [{"message": message, "key": key, "source": "body"} for message, key in faults]
        raise ValidationException("The body is invalid", extra=extra)

    def decode_bytes(self, value: bytes) -> Any:
        """Return the records in a JSON body, with exact numbers."""
        try:
            data = loads(value)
        except ValueError as error:
            raise ValidationException(f"{error}. Send JSON with Content-Type: application/json.") from None
        return self.decode_builtins(data)

    def data_to_encodable_type(self, data: Any) -> Any:
        """Return a response's records as dicts."""
        if isinstance(data, Response):
            data.content = _write(data.content, self.names)
            return data
        return _write(data, self.names)

    @classmethod
    def is_supported_model_type_field(cls, field_definition: FieldDefinition) -> bool:
        """Return whether bodies of this type contain records."""
        return field_definition.match_predicate_recursively(_is_record)

    @classmethod
    def create_for_field_definition(
        cls, field_definition: FieldDefinition, handler_id: str, backend_cls: Any = None
    ) -> None:
        """Do nothing, because there are no models to create."""

    @classmethod
    def create_openapi_schema(
        cls, field_definition: FieldDefinition, handler_id: str, schema_creator: Any
    ) -> Reference | Schema:
        """Return the schema of a body."""
        return cast("Reference | Schema", schema_creator.for_field_definition(field_definition))

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Generator[DTOFieldDefinition, None, None]:
        """Yield nothing, because the model defines the fields."""
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        """Return False, because this class converts nested records itself."""
        return False


def _read(field: FieldDefinition, value: Any, unknown: Unknown) -> Any:
    """Convert a value to the field's type: a record or a collection of records, possibly optional."""
    if field.is_optional:
        inner = [each for each in field.inner_types if each.annotation is not type(None)]
        return None if value is None else _read(inner[0], value, unknown)
    if not field.is_non_string_collection:
        return validated(field.annotation, value, unknown=unknown)
    if not isinstance(value, list):
        raise InvalidRecordError([misplaced(value, "a JSON list")])
    faults: list[Fault] = []
    converted = []
    for i, item in enumerate(value):
        try:
            converted.append(_read(field.inner_types[0], item, unknown))
        except InvalidRecordError as error:
            faults += [Fault(each.message, (i, *each.place), each.value) for each in error.faults]
    if faults:
        raise InvalidRecordError(faults)
    return field.instantiable_origin(converted)


def _write(data: Any, names: Names) -> Any:
    if isinstance(data, Record):
        return to_dict(data, names=names)
    if isinstance(data, list | tuple | set | frozenset):
        return [_write(each, names) for each in data]
    if isinstance(data, Mapping):
        return {name: _write(each, names) for name, each in data.items()}
    return data


_OPTIONS = {"anyOf": "any_of", "maxLength": "max_length", "writeOnly": "write_only"}


def _options(schema: dict[str, Any]) -> dict[str, Any]:
    """Return attributes of Litestar's ``Schema`` for a JSON Schema."""
    return {_OPTIONS.get(name, name): _option(name, value) for name, value in schema.items()}


def _option(name: str, value: Any) -> Any:
    if name == "properties":
        return {each: _schema(inner) for each, inner in value.items()}
    if name == "anyOf":
        return [_schema(each) for each in value]
    return _schema(value) if name == "items" else value


def _schema(schema: dict[str, Any]) -> Any:
    return schema["$ref"] if "$ref" in schema else Schema(**_options(schema))
