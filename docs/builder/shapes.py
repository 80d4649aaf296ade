"""What the pages of entities and commands share: links, types and tables of fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docs.builder.markup import slug, table
from wosdk_async.catalogue import Catalogue, Command, Entity, Field
from wosdk_async.catalogue.generator.names import command_modules, snake

__all__ = ["SOURCES", "Links", "entity_path", "field_table", "joined", "says", "sentence"]

SOURCES = {
    "spec": "the specification that this project started from",
    "doc": "public pages or collections of the vendor",
    "wsdl": "the vendor's older schema",
    "peer": "clients of others",
}


class Links:
    """Where each name of the catalogue has its page, and who refers to an entity."""

    def __init__(self, catalogue: Catalogue, depth: str = "../") -> None:
        self.catalogue = catalogue
        self._up = depth
        self._command = {
            command.name: f"commands/{module.rpartition('.')[2]}.md#{slug(command.name)}"
            for module, commands in command_modules(catalogue).items()
            for command in commands
        }

    def to(self, name: str | None) -> str:
        """Return a link to an entity, enum or command, or the name itself."""
        if not name:
            return "any value"
        if name in self._command:
            return f"[{name}]({self._up}{self._command[name]})"
        if name in self.catalogue.enums:
            return f"[{name}]({self._up}enums/index.md#{slug(name)})"
        entity = self.catalogue.entity(name)
        if entity is None:
            return f"`{name}`"
        return f"[{name}]({self._up}{entity_path(entity)})"

    def referring(self, entity: Entity) -> Iterator[tuple[str, str]]:
        """Give the entities with a field that holds this one, and the field."""
        for other in self.catalogue.entities.values():
            for field in other.own_fields:
                if field.of and self.catalogue.entity(field.of) is entity:
                    yield other.name, field.name

    def acting(self, entity: Entity) -> Iterator[tuple[Command, str]]:
        """Give the commands that take or return this entity, with the field that says so."""
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


def type_of(field: Field, links: Links) -> str:
    """Return the type of a field, with a link to what it holds."""
    kind = links.to(field.of) if field.of or field.kind == "object" else field.kind
    kind = f"reference to {kind}" if field.kind == "ref" else kind
    return f"list of {kind}" if field.is_list else kind


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


def field_table(fields: Iterable[Field], links: Links) -> str:
    """Return the table of fields: spelling of the service, name in Python, type, what is known, sources."""
    rows = (
        (
            f"`{field.name}`<br>`{snake(field.name)}`",
            type_of(field, links),
            remarks(field),
            field.sources.replace(" ", ", "),
        )
        for field in fields
    )
    return table(["Field, and in Python", "Type", "Meaning", "Sources"], rows)


def says(sources: str) -> str:
    """Return who states a row, in words."""
    names = [SOURCES[name] for name in sources.split()]
    return f"Stated by {'; '.join(names)}." if names else ""


def joined(parts: Iterable[str]) -> str:
    """Return the parts of a page as its text."""
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"
