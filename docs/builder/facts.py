"""Links, types, remarks and sources on the pages of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docs.builder.markup import slug, table
from wosdk_async.catalogue import VERBS, Catalogue, Command, Entity, EnumType, Field
from wosdk_async.catalogue.generator.names import command_modules, member_name

__all__ = [
    "SOURCES",
    "added_note",
    "operations",
    "remarks",
    "sentence",
    "stated_by",
    "value_table",
]

SOURCES = {
    "spec": "the specification that this project started from",
    "doc": "public pages or collections of the vendor",
    "wsdl": "the vendor's older schema",
    "peer": "clients of others",
}
_COMMAND = re.compile(r"\w+Command\b")


class Links:
    """Where each name of the catalogue has its page, and who refers to an entity."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._commands = {
            command.name: f"commands/{module.rpartition('.')[2]}.md#{slug(command.name)}"
            for module, commands in command_modules(catalogue).items()
            for command in commands
        }

    def to(self, name: str | None) -> str:
        """Return a link to an entity, enum or command, or the name itself."""
        if not name:
            return "any value"
        if name in self._commands:
            return f"[{name}](../{self._commands[name]})"
        if name in self.catalogue.enums:
            return f"[{name}](../enums/index.md#{slug(name)})"
        entity = self.catalogue.entity(name)
        return f"[{name}](../{entity_path(entity)})" if entity else f"`{name}`"

    def type_of(self, field: Field) -> str:
        """Return the type of a field, with a link to what it holds."""
        kind = self.to(field.of) if field.of or field.kind == "object" else field.kind
        kind = f"reference to {kind}" if field.kind == "ref" else kind
        return f"list of {kind}" if field.is_list else kind

    def referring(self, entity: Entity) -> Iterator[tuple[str, str]]:
        """Yield the entities that refer to this one, and their field."""
        for other in self.catalogue.entities.values():
            for field in other.own_fields:
                if field.of and self.catalogue.entity(field.of) is entity:
                    yield other.name, field.name

    def acting(self, entity: Entity) -> Iterator[tuple[Command, str]]:
        """Yield the commands that take or return this entity, and their field."""
        for command in self.catalogue.commands.values():
            parts = [("takes", field) for field in command.request]
            parts += [("returns", field) for field in command.response]
            found = [f"{verb} `{field.name}`" for verb, field in parts if self._is_of(field, entity)]
            if found:
                yield command, ", ".join(found)

    def _is_of(self, field: Field, entity: Entity) -> bool:
        if field.of:
            return self.catalogue.entity(field.of) is entity
        return field.name.lower() in (f"{entity.name}Id".lower(), f"{entity.name}Ids".lower())


def entity_path(entity: Entity) -> str:
    """Return the page of an entity, below the top; values and the like share one for each kind."""
    if entity.kind == "entity":
        return f"entities/{entity.name}.md"
    return f"entities/{entity.family}.md#{slug(entity.name)}"


def remarks(field: Field) -> str:
    """Return what else is known of a field."""
    marks = [
        "required" if field.required else "",
        "may be null" if field.nullable else "",
        "" if field.updatable else "cannot be updated",
        f"at most {field.max_length:,} characters" if field.max_length else "",
        f"also spelt {', '.join(f'`{name}`' for name in field.aliases)}" if field.aliases else "",
    ]
    text = " ".join(part for part in (field.meaning, sentence(field.note)) if part)
    marked = "; ".join(filter(None, marks))
    return f"{text} *{marked}*".strip() if marked else text


def sentence(text: str | None) -> str:
    """Return a note as a sentence."""
    return f"{text[0].upper()}{text[1:].rstrip('.')}." if text else ""


def stated_by(stated: str) -> str:
    """Return the source of a row, in words."""
    names = [SOURCES[name] for name in stated.split()]
    return f"Stated by {'; '.join(names)}." if names else ""


def operations(entity: Entity) -> list[str]:
    """Return whether the service does each of the verbs with an entity."""
    words = {True: "yes", False: "no", None: "not known"}
    return [words[entity.operations.get(verb)] for verb in VERBS]


def added_note(entity: Entity) -> str | None:
    """Return the note on operations if it says more than the list of commands."""
    noted = set(_COMMAND.findall(entity.operations_note or ""))
    listed = set(_COMMAND.findall(" ".join(entity.instead.values())))
    return None if noted and noted <= listed else entity.operations_note


def value_table(enum: EnumType) -> str:
    """Return the table of an enum's values, without columns that are empty."""
    rows = [
        (
            f"`{value.name}`",
            f"`{member_name(value.name)}`" if member_name(value.name) != value.name else "",
            "" if value.value is None else str(value.value),
            " ".join(filter(None, (value.meaning, sentence(value.note)))),
            value.sources.replace(" ", ", "),
        )
        for value in enum.values
    ]
    head = ("Value", "In Python", "Number", "Meaning", "Sources")
    always = ("Value", "Sources")
    columns = [each for each in zip(head, *rows, strict=True) if each[0] in always or any(each[1:])]
    shown, *values = zip(*columns, strict=True)
    return table(shown, values)
