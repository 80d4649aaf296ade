"""The modules of entities, values, queries, messages and commands."""

from __future__ import annotations

from wosdk_async.catalogue import Catalogue, Command, CommandBase, Entity
from wosdk_async.catalogue.generator.module import Module
from wosdk_async.catalogue.generator.names import (
    COMMAND_BASES,
    class_name,
    command_modules,
    entity_module,
    entity_modules,
)
from wosdk_async.catalogue.generator.text import literal, sentences

__all__ = ["command_files", "entity_files"]

TITLES = {
    "bases": "Shapes that entities share.",
    "messages": "Bodies of requests and replies.",
    "query": "The query language.",
    "values": "Values that are part of other objects.",
}
RESULT_FIELDS = {"ErrorInfo"}  # inherited from CommandResult


def _operations(entity: Entity) -> str | None:
    """Which operations the entity supports (spec 4.9 rule 1, facts 3.9)."""
    if entity.kind != "entity" or not entity.operations:
        return None
    does = [name for name, can in entity.operations.items() if can]
    does_not = [name for name, can in entity.operations.items() if can is False]
    unknown = [name for name, can in entity.operations.items() if can is None]
    return sentences(
        f"Operations: {', '.join(does) or 'none'}",
        f"not {', '.join(does_not)}" if does_not else None,
        f"not known: {', '.join(unknown)}" if unknown else None,
        entity.operations_note,
    )


def _doc(*paragraphs: str | None) -> str:
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _entity_class(module: Module, entity: Entity) -> None:
    own_name = class_name(entity.name)
    if entity.base:
        base = module.catalogue.entities[entity.base]
        parent = module.use(entity_module(base), class_name(base.name))
    else:
        parent = module.use("base", "Referable" if entity.name == "CorrigoEntity" else "Record")
    key = f"Key: {', '.join(entity.composite_key)}" if entity.composite_key else None
    doc = _doc(
        sentences(entity.meaning or f"``{entity.name}`` of the service"),
        _operations(entity),
        sentences(key, entity.note),
    )
    body = [module.field(field) for field in entity.own_fields]
    if own_name != entity.name:
        gap = "\n" if body else ""
        body.insert(0, f"    wire_name = {literal(entity.name)}{gap}")
    module.add(f"{own_name}({parent})", doc, body)


def _result_class(module: Module, command: Command) -> None:
    users = [other.name for other in module.catalogue.commands.values() if other.result == command.result]
    listed = f"{', '.join(users[:-1])} and {users[-1]} answer" if users[1:] else f"{users[0]} answers"
    doc = f"What {listed}."
    base = module.use("base", "CommandResult")
    fields = [module.field(field) for field in command.response if field.name not in RESULT_FIELDS]
    module.add(f"{command.result}({base})", doc, fields)


def _command_parent(module: Module, command: Command | CommandBase) -> str:
    return module.use(COMMAND_BASES, command.base) if command.base else module.use("base", "Command")


def _command_base_class(module: Module, shape: CommandBase) -> None:
    doc = _doc(
        sentences(shape.meaning),
        sentences("Never sent itself: a shape that commands share", shape.note),
    )
    head = f"{shape.name}({_command_parent(module, shape)}[{module.use('base', 'R')}])"
    module.add(head, doc, [module.field(field) for field in shape.own_request])


def _command_class(module: Module, command: Command) -> None:
    base, result = _command_parent(module, command), command.result or "CommandResult"
    if command.result is None:
        module.use("base", "CommandResult")
    elif place := module.results.get(command.result):
        module.use(place, command.result)
    doc = _doc(
        sentences(command.meaning or f"``{command.name}`` of the service"),
        sentences(
            "Repeating it does no harm" if command.repeat == "safe" else "Not safe to repeat",
            command.note,
        ),
    )
    facts = {
        "path": command.path,
        "other_paths": command.other_paths,
        "host": command.host,
        "repeat": command.repeat,
        "result_name": command.result,
    }
    lines = [f"    {name} = {literal(value)}" for name, value in facts.items() if value]
    lines[-1] += "\n" if command.own_request else ""
    fields = [module.field(field) for field in command.own_request]
    module.add(f"{command.name}({base}[{result}])", doc, lines + fields)


def entity_files(catalogue: Catalogue) -> dict[str, str]:
    """Module -> its text, for every family."""
    texts = {}
    for name, entities in entity_modules(catalogue).items():
        module = Module(catalogue, name)
        for entity in entities:
            _entity_class(module, entity)
        texts[name] = module.text(TITLES.get(name, f"Entities: {name.replace('_', ' ')}."))
    return texts


def command_files(catalogue: Catalogue) -> dict[str, str]:
    """Module -> its text, for every theme of commands."""
    shapes = Module(catalogue, COMMAND_BASES)
    for shape in catalogue.command_bases.values():
        _command_base_class(shapes, shape)
    texts = {COMMAND_BASES: shapes.text("Shapes that commands share.")}
    for name, commands in command_modules(catalogue).items():
        module = Module(catalogue, name)
        own = {c.result: c for c in reversed(commands) if module.results.get(c.result or "") == name}
        for result in reversed(own.values()):
            _result_class(module, result)
        for command in commands:
            _command_class(module, command)
        theme = name.rpartition(".")[2].replace("_", " ")
        texts[name] = module.text(f"Commands and their results: {theme}.")
    return texts
