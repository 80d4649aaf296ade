"""Every name of the catalogue has its class, with the wire's names."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.support.laws import case
from wosdk_async import model
from wosdk_async.catalogue import Field, load
from wosdk_async.catalogue.generator.names import BASES, snake
from wosdk_async.model import CommandResult, Record, command_class, entity_class

CATALOGUE = load()


def facts(field: Field) -> dict[str, Any]:
    """Return what the catalogue says of a field, in the keys of the metadata."""
    said = {
        "name": field.name,
        "type": field.kind,
        "of": BASES.get(field.of or "", field.of) or ("Money" if field.kind == "money" else None),
        "many": field.is_list,
        "max_length": field.max_length,
        "max_length_source": field.max_length_source,
        "required": field.required,
        "aliases": field.aliases,
    }
    return {name: value for name, value in said.items() if value} | (
        {} if field.updatable else {"updatable": False}
    )


def metadata(cls: type[Record]) -> dict[str, dict[str, Any]]:
    """Return the metadata of each field, without secrecy, which the catalogue does not state."""
    return {
        meta["name"]: {key: value for key, value in meta.items() if key != "secret" and value is not None}
        for meta in cls.__wire__.values()
    }


def test_entities() -> None:
    """Every entity, value, query and message has a class with the catalogue's fields."""
    for entity in CATALOGUE.entities.values():
        with case(entity.name):
            cls = entity_class(entity.name.upper())
            assert cls is not None
            assert cls is getattr(model, BASES.get(entity.name, entity.name))
            assert cls.wire_name == entity.name
            assert metadata(cls) == {field.name: facts(field) for field in entity.fields}
            assert cls.__base__ is not None
            if entity.base:
                assert cls.__base__ is entity_class(entity.base)
            assert all(getattr(cls(), name) is None for name in cls.__wire__)


def test_commands() -> None:
    """Every command has a class with its fields, paths, repeat and result."""
    for command in CATALOGUE.commands.values():
        with case(command.name):
            cls = command_class(command.name.lower())
            assert cls is not None
            assert cls is getattr(model, command.name)
            assert all(command_class(path) is cls for path in (command.path, *command.other_paths))
            assert (cls.wire_name, cls.path, cls.other_paths) == (
                command.name,
                command.path,
                command.other_paths,
            )
            assert (cls.host, cls.repeat) == (command.host, command.repeat)
            assert metadata(cls) == {field.name: facts(field) for field in command.request}
            assert cls.__base__ is getattr(model, command.base or "Command")
            result = cls.result_class()
            assert issubclass(result, CommandResult)
            assert result.__name__ == (command.result or "CommandResult")
            if command.result:
                assert metadata(result) == {field.name: facts(field) for field in command.response}


def test_shapes_of_commands() -> None:
    """Every shape that commands share has a class with its fields, and is not a command itself."""
    for shape in CATALOGUE.command_bases.values():
        with case(shape.name):
            cls = getattr(model, shape.name)
            assert cls.__base__ is getattr(model, shape.base or "Command")
            assert metadata(cls) == {field.name: facts(field) for field in shape.request}
            assert command_class(shape.name) is None
            assert cls.path == ""


SHARING = [*CATALOGUE.command_bases.values(), *CATALOGUE.commands.values()]


def test_shared_fields_are_declared_once() -> None:
    """A field of a base is not repeated, neither in the catalogue nor in the subclass."""
    for row in SHARING:
        with case(row.name):
            inherited = CATALOGUE.command_bases[row.base].request if row.base else ()
            assert not set(row.own_request) & set(inherited)
            assert {field.name for field in row.request} == {
                field.name for field in (*inherited, *row.own_request)
            }
            declared = getattr(model, row.name).__annotations__
            assert list(declared) == [snake(field.name) for field in row.own_request]


def test_commands_with_the_fields_of_an_action_are_actions() -> None:
    """A command that has all fields of a shape has the shape as its base."""
    for shape in CATALOGUE.command_bases.values():
        names = {field.name for field in shape.request}
        have = {c.name for c in CATALOGUE.commands.values() if names <= {field.name for field in c.request}}
        cls = getattr(model, shape.name)
        assert have == {name for name in CATALOGUE.commands if issubclass(getattr(model, name), cls)}


def test_enums() -> None:
    """Every enum has a class with the catalogue's values and numbers."""
    for enum in CATALOGUE.enums.values():
        with case(enum.name):
            cls = getattr(model, enum.name)
            assert [(str(member), member.number) for member in cls] == [
                (value.name, value.value) for value in enum.values
            ]
            assert all(member.name.upper() == str(member).upper() for member in cls)


def test_aliases_and_unknown_names() -> None:
    """The specification's names find the wire's classes; what the catalogue does not know is None."""
    assert (model.Priority, model.SubType, model.Asset) == (
        model.WoPriority,
        model.WorkOrderType,
        model.Location,
    )
    assert (entity_class("subtype"), entity_class("asset")) == (model.WorkOrderType, model.Location)
    assert (entity_class("NewEntity"), command_class("NewCommand")) == (None, None)
    assert entity_class("WoCreateCommand") is None
    with pytest.raises(AttributeError, match="NewEntity"):
        _ = model.NewEntity


def test_every_exported_name_exists() -> None:
    """__all__ holds no name that cannot be imported, and dir() is __all__."""
    assert all(getattr(model, name) is not None for name in model.__all__)
    assert dir(model) == sorted(model.__all__)


def test_money_is_typed() -> None:
    """The public annotation of money is its class, of a number Decimal."""
    assert model.Money.__annotations__["value"] == "Decimal | None"
    assert model.Money(value=Decimal("1.50")).value == Decimal("1.5")
