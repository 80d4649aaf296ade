"""Pages of entities, written from the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docs.builder.markup import table, title
from docs.builder.shapes import SOURCES, Links, entity_path, field_table, joined, says, sentence
from wosdk_async.catalogue import VERBS, Catalogue, Entity
from wosdk_async.catalogue.generator.names import class_name

__all__ = ["KINDS", "entity_pages", "families"]

KINDS = {
    "values": ("Values", "objects inside records that have no id of their own"),
    "query": ("Query", "parts of the body of a query"),
    "messages": ("Messages", "bodies of responses and errors"),
    "bases": ("Shared fields", "shapes whose fields entities inherit; they are never sent"),
}
_COMMAND = re.compile(r"\w+Command\b")


def entity_pages(links: Links) -> Iterator[tuple[str, str]]:
    """Give a page for each entity, and one for each other kind of shape."""
    entities = links.catalogue.entities.values()
    for entity in entities:
        if entity.kind == "entity":
            yield entity_path(entity), joined([f"# {entity.name}", *entity_body(entity, links, "##")])
    for family, (head, meaning) in KINDS.items():
        parts = [f"# {head}", f"All {meaning}."]
        for entity in entities:
            if entity.family == family:
                parts += [f"## {entity.name}", *entity_body(entity, links, "###")]
        yield f"entities/{family}.md", joined(parts)
    yield "entities/index.md", joined(entity_index(links))


def entity_index(links: Links) -> Iterator[str]:
    """Give the parts of the list of all entities."""
    catalogue = links.catalogue
    yield "# Entities"
    yield (
        f"All {len(catalogue.entities)} entities and other shapes that the library knows, each with its "
        "fields, what the service lets you do with it, and who says so. The search finds each name and "
        "field; `wosdk describe WorkOrder` shows the same in a terminal."
    )
    cap = catalogue.row_cap
    yield f"A query gives at most {cap:,} records; the library reads on ([queries](../queries.md))."
    yield (
        "Other names that are taken: "
        + ", ".join(f"`{alias}` for {links.to(name)}" for alias, name in catalogue.aliases.items())
        + "."
    )
    for family, names in families(catalogue).items():
        yield f"## {title(family)}"
        rows = ((links.to(name), catalogue.entities[name].meaning or "") for name in names)
        yield table(["Entity", "Meaning"], rows)
    yield "## Other shapes"
    yield "\n".join(f"* [{head}]({family}.md): {meaning}" for family, (head, meaning) in KINDS.items())
    yield "## Sources"
    yield "\n".join(f"* **{name}**: {meaning}" for name, meaning in SOURCES.items())


def entity_body(entity: Entity, links: Links, level: str) -> Iterator[str]:
    """Give the parts of an entity below its heading."""
    name = class_name(entity.name)
    meaning = sentence(entity.meaning) or "No source describes it."
    yield f"{meaning} In Python `wosdk_async.model.{name}`."
    yield " ".join(filter(None, (sentence(entity.note), says(entity.sources))))
    if entity.kind == "entity":
        words = {True: "yes", False: "no", None: "not known"}
        shown = [words[entity.operations.get(verb)] for verb in VERBS]
        yield table(VERBS, [shown])
        instead = [f"* To {verb}: {text}." for verb, text in entity.instead.items()]
        needs = [f"* A new record needs `{field}`: {text}." for field, text in entity.needs.items()]
        key = [f"* Its key is {', '.join(f'`{part}`' for part in entity.composite_key)}."]
        yield "\n".join([*instead, *needs, *(key if entity.composite_key else [])])
        yield sentence(entity.operations_note) if _adds(entity) else ""
    yield f"{level} Fields of {entity.name}"
    yield field_table(entity.fields, links) if entity.fields else "No source says which fields it has."
    if acting := list(links.acting(entity)):
        yield f"{level} Commands with {entity.name}"
        yield "\n".join(f"* {links.to(command.name)} {how}" for command, how in acting)
    if holding := list(links.referring(entity)):
        yield f"{level} Fields that hold {entity.name}"
        yield "\n".join(f"* {links.to(other)} `{field}`" for other, field in holding)


def _adds(entity: Entity) -> bool:
    """Return whether the note on operations says more than which commands to run, which the list has."""
    noted = set(_COMMAND.findall(entity.operations_note or ""))
    return not noted or not noted <= set(_COMMAND.findall(" ".join(entity.instead.values())))


def families(catalogue: Catalogue) -> dict[str, list[str]]:
    """Return the names of the entities of each family, sorted."""
    found: dict[str, list[str]] = {}
    for entity in catalogue.entities.values():
        if entity.kind == "entity":
            found.setdefault(entity.family, []).append(entity.name)
    return {family: sorted(names) for family, names in sorted(found.items())}
