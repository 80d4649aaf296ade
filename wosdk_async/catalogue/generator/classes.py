"""Generator of the modules with entities, values, queries, messages, commands and enums."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wosdk_async.catalogue import Catalogue, Command, CommandBase, Entity, EnumType, EnumValue, Field
from wosdk_async.catalogue.generator.names import (
    COMMAND_BASES,
    class_name,
    command_modules,
    entity_modules,
    member_name,
    result_modules,
    snake,
)
from wosdk_async.catalogue.generator.text import (
    docstring,
    field_text,
    from_import,
    header,
    literal,
    operations_text,
    paragraphs,
    sentences,
)

PACKAGE = "wosdk_async.model"
DEFINE = "@define(kw_only=True, eq=False, repr=False)"  # the root class defines __eq__ and __repr__ for all
TITLES = {
    "bases": "Shapes that entities share.",
    "messages": "Request and response bodies.",
    "query": "The query language.",
    "values": "Values that are part of other objects.",
}
PYTHON_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "Decimal",
    "boolean": "bool",
    "datetime-local": "datetime",
    "datetime-utc": "datetime",
}
INHERITED_FIELDS = {"ErrorInfo"}  # result classes inherit these fields from CommandResult
SECRET_WORD = re.compile(r"password|token|secret", re.IGNORECASE)


class Module:
    """Module under construction: its classes and their imports."""

    def __init__(self, catalogue: Catalogue, name: str) -> None:
        self.catalogue = catalogue
        self.name = name
        self.results = result_modules(catalogue)
        self.classes: list[str] = []
        self.imports: dict[str, set[str]] = {}
        self.typing: dict[str, set[str]] = {}

    def use(self, module: str, name: str, *, typing_only: bool = False) -> str:
        """Import ``name`` from another ``module`` of the model; return the name."""
        if module != self.name:
            into = self.typing if typing_only else self.imports
            into.setdefault(f"{PACKAGE}.{module}", set()).add(name)
        return name

    def annotation(self, field: Field) -> str:
        """Return a field's type annotation."""
        one = self._item_type(field)
        return f"list[{one}] | None" if field.is_list else "Any" if one == "Any" else f"{one} | None"

    def _item_type(self, field: Field) -> str:
        if field.kind in PYTHON_TYPES:
            kind = PYTHON_TYPES[field.kind]
            if kind in ("datetime", "Decimal"):
                self.typing.setdefault(kind.lower(), set()).add(kind)
            return kind
        if field.kind == "enum" and field.of:
            return self.use("enums", field.of, typing_only=True)
        if field.of or field.kind == "money":
            entity = self.catalogue.entities[field.of or "Money"]
            return self.use(entity.family, class_name(entity.name), typing_only=True)
        if field.kind != "object":
            raise ValueError(
                f"{field.name} has the type {field.kind!r}, which the generator does not support"
            )
        self.imports.setdefault("typing", set()).add("Any")
        return "Any"

    def field(self, field: Field, *, of_command: bool = False) -> str:
        """Return a field's declaration and docstring."""
        self.imports.setdefault("attrs", set()).add("field")
        self.use("metadata", "wire")
        value = f"field(default=None, metadata=wire({', '.join(_wire(field))}))"
        doc = docstring(field_text(field, self.catalogue.aliases, of_command=of_command), "    ")
        return f"    {snake(field.name)}: {self.annotation(field)} = {value}\n{doc}"

    def add(self, head: str, doc: str, body: Iterable[str]) -> None:
        """Add a class; ``head`` is its name with its bases, and ``doc`` is its docstring."""
        self.imports.setdefault("attrs", set()).add("define")
        self.classes.append("\n".join([DEFINE, f"class {head}:", docstring(doc, "    "), *body]))

    def text(self, title: str) -> str:
        """Return the whole module."""
        lines = [header(title), "from __future__ import annotations"]
        if self.typing:
            self.imports.setdefault("typing", set()).add("TYPE_CHECKING")
        lines += [from_import(module, names) for module, names in self.imports.items()]
        if self.typing:
            lines.append("if TYPE_CHECKING:")
            lines += [f"    {from_import(module, names)}" for module, names in self.typing.items()]
        return "\n".join([*lines, *self.classes])


def _wire(field: Field) -> list[str]:
    arguments = [literal(field.name), literal(field.kind)]
    of = field.of or ("Money" if field.kind == "money" else None)
    if of:
        arguments.append(literal(class_name(of)))
    more = {
        "many": field.is_list,
        "max_length": field.max_length,
        "max_length_source": field.max_length_source,
        "required": field.required,
        "aliases": field.aliases,
        "secret": field.kind == "string" and "password" in field.name.lower(),
    }
    arguments += [f"{name}={literal(value)}" for name, value in more.items() if value]
    return arguments if field.updatable else [*arguments, "updatable=False"]


def entity_files(catalogue: Catalogue) -> dict[str, str]:
    """Return the text of each entity module."""
    texts = {}
    for name, entities in entity_modules(catalogue).items():
        module = Module(catalogue, name)
        for entity in entities:
            _entity_class(module, entity)
        texts[name] = module.text(TITLES.get(name, f"Entities: {name.replace('_', ' ')}."))
    return texts


def _entity_class(module: Module, entity: Entity) -> None:
    own_name = class_name(entity.name)
    if entity.base:
        base = module.catalogue.entities[entity.base]
        parent = module.use(base.family, class_name(base.name))
    else:
        parent = module.use("base", "Referable" if entity.name == "CorrigoEntity" else "Record")
    key = f"Key: {', '.join(entity.composite_key)}" if entity.composite_key else None
    doc = paragraphs(
        sentences(entity.meaning or f"The service's ``{entity.name}``"),
        operations_text(entity),
        sentences(key, entity.note),
    )
    renamed = [f"    wire_name = {literal(entity.name)}", ""] if own_name != entity.name else []
    module.add(f"{own_name}({parent})", doc, renamed + [module.field(field) for field in entity.own_fields])


def command_files(catalogue: Catalogue) -> dict[str, str]:
    """Return the text of each command module, including the shared shapes."""
    shapes = Module(catalogue, COMMAND_BASES)
    for shape in catalogue.command_bases.values():
        _command_base_class(shapes, shape)
    texts = {COMMAND_BASES: shapes.text("Shapes that commands share.")}
    for name, commands in command_modules(catalogue).items():
        module = Module(catalogue, name)
        first = {c.result: c for c in reversed(commands) if module.results.get(c.result or "") == name}
        for command in reversed(first.values()):
            _result_class(module, command)
        for command in commands:
            _command_class(module, command)
        theme = name.rpartition(".")[2].replace("_", " ")
        texts[name] = module.text(f"Commands and their results: {theme}.")
    return texts


def _result_class(module: Module, command: Command) -> None:
    commands = [other for other in module.catalogue.commands.values() if other.result == command.result]
    users = [other.name for other in commands]
    for other in commands:  # a class generated from one command's response would lose the others' fields
        if _shape(other) != _shape(command):
            raise ValueError(
                f"{command.name} and {other.name} have the result {command.result}, but different responses;"
                " write the same response in both"
            )
    listed = f"{', '.join(users[:-1])} and {users[-1]}" if users[1:] else users[0]
    base = module.use("base", "CommandResult")
    fields = [module.field(field) for field in command.response if field.name not in INHERITED_FIELDS]
    module.add(f"{command.result}({base})", f"Result of {listed}.", fields)


def _shape(command: Command) -> set[tuple[object, ...]]:
    """Return the fields that a result class takes from a response, without notes and sources."""
    return {
        (field.name, field.kind, field.of, field.is_list)
        for field in command.response
        if field.name not in INHERITED_FIELDS
    }


def _command_parent(module: Module, command: Command | CommandBase) -> str:
    return module.use(COMMAND_BASES, command.base) if command.base else module.use("base", "Command")


def _command_base_class(module: Module, shape: CommandBase) -> None:
    doc = paragraphs(
        sentences(shape.meaning),
        sentences("Abstract command shape, never sent itself", shape.note),
    )
    head = f"{shape.name}({_command_parent(module, shape)}[{module.use('base', 'R')}])"
    module.add(head, doc, [module.field(field, of_command=True) for field in shape.own_request])


def _command_class(module: Module, command: Command) -> None:
    base, result = _command_parent(module, command), command.result or "CommandResult"
    if command.result is None:
        module.use("base", "CommandResult")
    elif result_module := module.results.get(command.result):
        module.use(result_module, command.result)
    doc = paragraphs(
        sentences(command.meaning or f"The service's ``{command.name}``"),
        sentences(
            "Safe to repeat" if command.repeat == "safe" else "Not safe to repeat",
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
    fields = [module.field(field, of_command=True) for field in command.own_request]
    module.add(f"{command.name}({base}[{result}])", doc, [*lines, "", *fields])


def enum_files(catalogue: Catalogue) -> dict[str, str]:
    """Return the text of the enum module."""
    lines = [
        header("All enums of the service."),
        "from __future__ import annotations",
        from_import(f"{PACKAGE}.open_enum", ["OpenEnum"]),
        *(_enum_class(enum) for enum in catalogue.enums.values()),
    ]
    return {"enums": "\n".join(lines)}


def _enum_class(enum: EnumType) -> str:
    doc = docstring(sentences(f"Values of ``{enum.name}``", enum.note), "    ")
    return "\n".join([f"class {enum.name}(OpenEnum):", doc, *map(_member, enum.values)])


def _member(value: EnumValue) -> str:
    arguments = literal(value.name) if value.value is None else f"{literal(value.name)}, {value.value}"
    # ruff mistakes the name of an error code for a secret if it contains a word such as TOKEN
    mark = "  # noqa: S105" if value.value is None and SECRET_WORD.search(value.name) else ""
    line = f"    {member_name(value.name)} = {arguments}{mark}"
    status = f"HTTP status {value.http_status}" if value.http_status else None
    text = sentences(value.meaning, status, value.note)
    return f"{line}\n{docstring(text, '    ')}" if text else line
