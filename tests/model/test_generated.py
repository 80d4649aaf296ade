"""Cases made from the catalogue: every operation, command and enum value, as it is sent and read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.model.recorded import SAMPLES, recorded
from tests.support.laws import case
from wosdk_async import Company, UnsupportedError, model
from wosdk_async.catalogue import Entity, Field, load
from wosdk_async.catalogue.generator.names import snake
from wosdk_async.codec import dumps, loads, structure, unstructure
from wosdk_async.model import command_class, entity_class

CATALOGUE = load()
ENTITIES = [entity for entity in CATALOGUE.entities.values() if entity.kind == "entity"]
RESPONSE = {"Data": {"Id": 7}, "Entities": [], "EntitySpecifier": {"Id": 7}, "CommandResult": {}}

MADE: dict[str, Any] = {
    "WoCreateCommand": {"Wo": {"Id": 7}},
    "WoCopyCommand": {"wo": {"id": 7}},
    "SpaceCreateCommand": {"NewSpace": {"Id": 7}},
    "WorkZoneCreateCommand": {"WorkZone": {"Id": "7"}},
    "CreateCommand": {"EntitySpecifier": {"Id": 7}},
}

Verb = Callable[[Company, Any], Awaitable[Any]]
VERBS: dict[str, Verb] = {
    "retrieve": lambda acme, cls: acme.get(cls, 7),
    "query": lambda acme, cls: ask(acme, cls),
    "create": lambda acme, cls: acme.create(filled(cls)),
    "update": lambda acme, cls: acme.update(cls(id=7), perform_deletion=False),
    "delete": lambda acme, cls: acme.delete(cls, 7),
}


async def ask(acme: Company, cls: Any) -> Any:
    """Query one record."""
    return await acme.query(cls, {"Count": 1})


def filled(cls: Any) -> Any:
    """Return a new record with the fields that the service requires (facts 3.10)."""
    return cls(doc_type=model.DocumentType.ref(3), storage_type_id="URL") if cls is model.Document else cls()


def requests(entity: Entity) -> dict[str, tuple[str, str, Any]]:
    """Return method, path and body of each operation (spec 4.9, facts 3.1 and 4)."""
    name = entity.name
    new = {"DocType": {"Id": 3}, "StorageTypeId": "URL"} if name == "Document" else {}
    changed = {"Properties": ["PerformDeletion"], "Entity": {"Id": 7, "PerformDeletion": False}}
    return {
        "retrieve": ("GET", f"api/v1/base/{name}/7", None),
        "query": ("POST", f"api/v1/query/{name}", {"QueryExpression": {"Count": 1}}),
        "create": ("POST", f"api/v1/base/{name}", {"Entity": new}),
        "update": ("PUT", f"api/v1/base/{name}", changed),
        "delete": ("DELETE", f"api/v1/base/{name}?ID=7", None),
    }


async def test_operations() -> None:
    """An operation that is supported or not known is sent; any other is refused with a remedy."""
    async with recorded(RESPONSE) as (acme, hook):
        for entity in ENTITIES:
            cls = entity_class(entity.name)
            for operation, request in requests(entity).items():
                if operation == "update" and not entity.fields:
                    continue  # facts appendix A: named in the list of types, with no schema published
                hook.calls.clear()
                with case(entity.name, operation):
                    # Reading by id is never refused: the service says best what it has.
                    if entity.operations.get(operation) is False and operation != "retrieve":
                        with pytest.raises(UnsupportedError) as caught:
                            await VERBS[operation](acme, cls)
                        assert f"{operation} is not supported by {entity.name}" in str(caught.value)
                        assert entity.instead.get(operation, "") in str(caught.value)
                        assert hook.calls == []
                        continue
                    await VERBS[operation](acme, cls)
                    assert hook.sent == request
                    assert hook.calls[0].repeat_safe == (CATALOGUE.operations[operation].repeat == "safe")


# --- commands -------------------------------------------------------------------------------


def sample(field: Field) -> Any:
    """Return a value of the field in JSON, of the catalogue's type."""
    if field.kind == "enum":
        one: Any = CATALOGUE.enums[field.of or ""].values[-1].name
    else:
        one = SAMPLES[field.kind](field)
    return [one] if field.is_list else one


def content(fields: tuple[Field, ...]) -> dict[str, Any]:
    """Return a JSON object with a value for each field."""
    return {field.name: sample(field) for field in fields}


def as_sent(name: str, command: dict[str, Any]) -> dict[str, Any]:
    """Return the body that is sent where the sources differ (facts 12)."""
    if name == "SpaceCreateCommand":
        command["CustomerId"] = str(command["CustomerId"])
    if name == "ApStatusChangeCommand":
        command["WorkOrderid"] = command.pop("WorkOrderId")
    return command


async def test_commands() -> None:
    """Every command goes out with all its fields, and its response is read as a result with all fields."""
    for command in CATALOGUE.commands.values():
        with case(command.name):
            cls = command_class(command.name)
            assert cls is not None
            fields = content(command.request)
            result = {name: value for name, value in content(command.response).items() if name != "ErrorInfo"}
            if command.name == "CreateCommand":
                result |= MADE[command.name]
            async with recorded({"CommandResult": result, "RequestId": "r"}) as (acme, hook):
                found = await acme.run(structure(fields, cls), check=False)
            method, path, body = hook.sent
            call = hook.calls[0]
            assert (method, path) == ("POST", f"api/v1/cmd/{command.path}")
            assert body["Command"] == as_sent(command.name, fields)
            assert (body.get("RequestId"), call.to_locator) == (call.request_id, command.host == "locator")
            assert (call.request_id is None) == (command.host == "locator")  # spec 4.2
            assert call.repeat_safe == (command.repeat == "safe")
            assert (type(found), found.extra) == (cls.result_class(), None)
            assert unstructure(found) == result
            assert all(getattr(found, snake(name)) is not None for name in result)


async def test_commands_by_their_names() -> None:
    """A dict, in any letter case, is sent as it is, and the result is a dict."""
    for command in CATALOGUE.commands.values():
        with case(command.name):
            fields = content(command.request)
            result = {"Any": 1, **MADE.get(command.name, {})}
            async with recorded({"CommandResult": result}) as (acme, hook):
                assert await acme.run(command.name.lower(), fields, check=False) == result
            assert hook.sent[2]["Command"] == fields


# --- enums ----------------------------------------------------------------------------------


def uses(enum: str) -> list[tuple[str, Field]]:
    """Return a field of some entity that holds the enum."""
    return [
        (entity.name, field)
        for entity in CATALOGUE.entities.values()
        for field in entity.own_fields
        if (field.kind, field.of, field.is_list) == ("enum", enum, False)
    ][:1]


USED = [(enum, *use) for enum in CATALOGUE.enums.values() for use in uses(enum.name)]


def test_enum_values_in_a_record() -> None:
    """In a field of a record each value survives: names come back, numbers as the names they mean."""
    for enum, entity, field in USED:
        with case(enum.name):
            cls: Any = entity_class(entity)
            for value in enum.values:
                for given in {value.name, value.value} - {None}:
                    made = structure(loads(dumps({field.name: given})), cls)
                    assert unstructure(made) == {field.name: value.name}


def test_the_size_of_the_catalogue() -> None:
    """Facts 9: 139 entity types; the commands and enums of the vendor's schema. Nothing gets lost unseen."""
    values = sum(len(enum.values) for enum in CATALOGUE.enums.values())
    sizes = (len(ENTITIES), len(CATALOGUE.commands), len(CATALOGUE.enums), values)
    assert sizes == (139, 58, 83, 843), "entities, commands, enums, values: if you added one, count it here"
