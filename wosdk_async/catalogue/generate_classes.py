"""The modules of entities, values, queries, messages and commands."""

from __future__ import annotations

from collections.abc import Iterable

from wosdk_async.catalogue import Catalogue, Command, Entity, Field
from wosdk_async.catalogue.generate_names import (
    class_name,
    command_module,
    command_modules,
    entity_module,
    entity_modules,
    enum_modules,
    snake,
)
from wosdk_async.catalogue.generate_text import (
    call,
    docstring,
    field_text,
    from_import,
    header,
    literal,
    sentences,
    sources,
)

__all__ = ["Module", "command_files", "entity_files", "result_modules"]

PACKAGE = "wosdk_async.model"
PLAIN = {
    "string": "str",
    "integer": "int",
    "number": "Decimal",
    "boolean": "bool",
    "datetime-local": "datetime",
    "datetime-utc": "datetime",
}
TITLES = {
    "bases": "Shapes that entities share.",
    "messages": "Bodies of requests and replies.",
    "query": "The query language.",
    "values": "Values that are part of other objects.",
}
RESULT_FIELDS = {"ErrorInfo"}  # inherited from CommandResult


class Module:
    """A module being written: its classes and what they import."""

    def __init__(self, catalogue: Catalogue, name: str) -> None:
        self.catalogue = catalogue
        self.name = name
        self.enums = enum_modules(catalogue)
        self.results = result_modules(catalogue)
        self.classes: list[str] = []
        self.imports: dict[str, set[str]] = {}
        self.typing: dict[str, set[str]] = {}

    def use(self, module: str, name: str, *, typing_only: bool = False) -> str:
        """Import ``name`` of the model's ``module`` unless it is our own; return the name."""
        if module != self.name:
            into = self.typing if typing_only else self.imports
            into.setdefault(f"{PACKAGE}.{module}", set()).add(name)
        return name

    def class_of(self, wire: str) -> str:
        entity = self.catalogue.entities[wire]
        return self.use(entity_module(entity), class_name(wire), typing_only=True)

    def annotation(self, field: Field) -> str:
        """The type of a field, as text."""
        one = self._one(field)
        return f"list[{one}] | None" if field.is_list else "Any" if one == "Any" else f"{one} | None"

    def _one(self, field: Field) -> str:
        if field.kind in PLAIN:
            kind = PLAIN[field.kind]
            if kind in ("datetime", "Decimal"):
                self.typing.setdefault(kind.lower(), set()).add(kind)
            return kind
        if field.kind == "enum" and field.of:
            return self.use(self.enums[field.of], field.of, typing_only=True)
        if field.of or field.kind == "money":
            return self.class_of(field.of or "Money")
        self.imports.setdefault("typing", set()).add("Any")
        return "Any"

    def field(self, field: Field) -> str:
        """The declaration of a field and its docstring."""
        self.use("_base", "field")
        self.use("_base", "wire")
        head = f"{snake(field.name)}: {self.annotation(field)} = field"
        line = call(head, ["default=None", f"metadata=wire({', '.join(_wire(field))})"], "    ")
        if max(map(len, line.splitlines())) > 110:
            metadata = call("metadata=wire", _wire(field), " " * 8)
            line = f"    {head}(\n        default=None,\n{metadata},\n    )"
        return f"{line}\n{docstring(field_text(field, self.catalogue.aliases), '    ')}"

    def add(self, head: str, doc: str, body: Iterable[str]) -> None:
        self.use("_base", "define")
        lines = "\n".join(body)
        gap = "\n\n" if lines else ""
        self.classes.append(f"@define(kw_only=True)\nclass {head}:\n{docstring(doc, '    ')}{gap}{lines}")

    def text(self, title: str) -> str:
        if self.typing:
            self.imports.setdefault("typing", set()).add("TYPE_CHECKING")
        parts = [f"{header(title)}\n\nfrom __future__ import annotations\n", _imports(self.imports)]
        if self.typing:
            parts.append(f"if TYPE_CHECKING:\n{_imports(self.typing, '    ')}")
        return "\n".join(parts) + "\n\n" + "\n\n\n".join(self.classes) + "\n"


def _imports(names: dict[str, set[str]], indent: str = "") -> str:
    """The import lines, the standard library's first."""
    blocks = (
        [
            from_import(module, names[module], indent)
            for module in sorted(names)
            if module.startswith(PACKAGE) is ours
        ]
        for ours in (False, True)
    )
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _wire(field: Field) -> list[str]:
    given = [literal(field.name), literal(field.kind)]
    of = field.of or ("Money" if field.kind == "money" else None)
    if of:
        given.append(literal(of))
    more = {
        "many": field.is_list,
        "max_length": field.max_length,
        "max_length_source": field.max_length_source,
        "required": field.required,
        "aliases": field.aliases,
        "secret": field.kind == "string" and "password" in field.name.lower(),
    }
    given += [f"{name}={literal(value)}" for name, value in more.items() if value]
    return given if field.updatable else [*given, "updatable=False"]


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
        parent = module.use("_base", "Referable" if entity.name == "CorrigoEntity" else "Record")
    key = f"Key: {', '.join(entity.composite_key)}" if entity.composite_key else None
    doc = _doc(
        sentences(entity.meaning or f"``{entity.name}`` of the service"),
        _operations(entity),
        sentences(key, entity.note, sources(entity.sources)),
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
    base = module.use("_base", "CommandResult")
    fields = [module.field(field) for field in command.response if field.name not in RESULT_FIELDS]
    module.add(f"{command.result}({base})", doc, fields)


def _command_class(module: Module, command: Command) -> None:
    base, result = module.use("_base", "Command"), command.result or "CommandResult"
    if command.result is None:
        module.use("_base", "CommandResult")
    elif place := module.results.get(command.result):
        module.use(place, command.result)
    doc = _doc(
        sentences(command.meaning or f"``{command.name}`` of the service"),
        sentences(
            "Repeating it does no harm" if command.repeat == "safe" else "Not safe to repeat",
            command.note,
            sources(command.sources),
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
    lines[-1] += "\n" if command.request else ""
    module.add(f"{command.name}({base}[{result}])", doc, lines + [module.field(f) for f in command.request])


def result_modules(catalogue: Catalogue) -> dict[str, str]:
    """Result class -> the module of the first command that answers it."""
    places: dict[str, str] = {}
    for command in catalogue.commands.values():
        if command.result:
            places.setdefault(command.result, command_module(command))
    return places


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
    texts = {}
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
