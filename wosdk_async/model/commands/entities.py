"""Commands and their results: entities.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from wosdk_async.model.base import Command, CommandResult
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from wosdk_async.model.bases import MoneyValuesEntity
    from wosdk_async.model.enums import CurrencyType
    from wosdk_async.model.values import EntitySpecifier, NestedEntityOperationResult, PropertySet


@define(kw_only=True, eq=False, repr=False)
class CompositeCommandResponse(CommandResult):
    """Result of CompositeCommand."""

    responses: list[Any] | None = field(default=None, metadata=wire("Responses", "object", many=True))
    """``Responses`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class RetrieveWithCurrencyTypeResponse(CommandResult):
    """Result of RetrieveWithCurrencyTypeCommand."""

    results: list[MoneyValuesEntity] | None = field(
        default=None, metadata=wire("Results", "ref", "MoneyValuesEntity", many=True)
    )
    """``Results`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class OperationCommandResponse(CommandResult):
    """Result of CreateCommand, DeleteCommand, RestoreCommand and UpdateCommand."""

    entity_specifier: EntitySpecifier | None = field(
        default=None, metadata=wire("EntitySpecifier", "object", "EntitySpecifier")
    )
    """``EntitySpecifier`` on the wire."""
    nested_entities_operation_results: list[NestedEntityOperationResult] | None = field(
        default=None,
        metadata=wire("NestedEntitiesOperationResults", "object", "NestedEntityOperationResult", many=True),
    )
    """``NestedEntitiesOperationResults`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class CompositeCommand(Command[CompositeCommandResponse]):
    """Runs several commands, optionally in one transaction.

    Not safe to repeat.
    """

    path = "CompositeCommand"
    repeat = "unsafe"
    result_name = "CompositeCommandResponse"

    is_transactional: bool | None = field(default=None, metadata=wire("IsTransactional", "boolean"))
    """All or nothing."""
    commands: list[Any] | None = field(default=None, metadata=wire("Commands", "object", many=True))
    """Commands to run in order."""


@define(kw_only=True, eq=False, repr=False)
class CreateCommand(Command[OperationCommandResponse]):
    """Creates any plain record.

    Not safe to repeat. Generic command; the base interface does the same with HTTP verbs.
    """

    path = "CreateCommand"
    repeat = "unsafe"
    result_name = "OperationCommandResponse"

    entity: Any = field(default=None, metadata=wire("Entity", "object"))
    """``Entity`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class DeleteCommand(Command[OperationCommandResponse]):
    """Deletes or soft-removes a record.

    Not safe to repeat. Generic command; the base interface does the same with HTTP verbs.
    """

    path = "DeleteCommand"
    repeat = "unsafe"
    result_name = "OperationCommandResponse"

    entity_specifier: EntitySpecifier | None = field(
        default=None, metadata=wire("EntitySpecifier", "object", "EntitySpecifier")
    )
    """``EntitySpecifier`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class RestoreCommand(Command[OperationCommandResponse]):
    """Undoes a soft removal.

    Not safe to repeat. Generic command.
    """

    path = "RestoreCommand"
    repeat = "unsafe"
    result_name = "OperationCommandResponse"

    entity_specifier: EntitySpecifier | None = field(
        default=None, metadata=wire("EntitySpecifier", "object", "EntitySpecifier")
    )
    """``EntitySpecifier`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class RetrieveWithCurrencyTypeCommand(Command[RetrieveWithCurrencyTypeResponse]):
    """Reads money settings in a currency.

    Safe to repeat.
    """

    path = "RetrieveWithCurrencyTypeCommand"
    repeat = "safe"
    result_name = "RetrieveWithCurrencyTypeResponse"

    target_currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("TargetCurrencyTypeId", "enum", "CurrencyType")
    )
    """``TargetCurrencyTypeId`` on the wire."""
    parent_entity_specifiers: list[EntitySpecifier] | None = field(
        default=None, metadata=wire("ParentEntitySpecifiers", "object", "EntitySpecifier", many=True)
    )
    """``ParentEntitySpecifiers`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class UpdateCommand(Command[OperationCommandResponse]):
    """Updates any plain record.

    Not safe to repeat. Generic command; the base interface does the same with HTTP verbs.
    """

    path = "UpdateCommand"
    repeat = "unsafe"
    result_name = "OperationCommandResponse"

    entity: Any = field(default=None, metadata=wire("Entity", "object"))
    """``Entity`` on the wire."""
    property_set: PropertySet | None = field(
        default=None, metadata=wire("PropertySet", "object", "PropertySet")
    )
    """``PropertySet`` on the wire."""
