"""Pages of entities, commands, enums and error codes, rendered from the catalogue, and their nav."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from jinja2 import ChainableUndefined, Environment, FileSystemLoader

from docs.builder import facts
from docs.builder.facts import Links, entity_path
from docs.builder.markup import cell, table
from wosdk_async.catalogue import VERBS, Catalogue, Entity, load
from wosdk_async.catalogue.generator.names import class_name, command_modules, snake
from wosdk_async.protocol.verdicts import CODES

KINDS = {
    "values": ("Values", "objects inside records that have no id of their own"),
    "query": ("Query", "parts of the body of a query"),
    "messages": ("Messages", "bodies of responses and errors"),
    "bases": ("Shared fields", "shapes whose fields entities inherit; they are never sent"),
}


def catalogue_pages() -> dict[str, str]:
    """Return path -> text of the catalogue's pages."""
    catalogue = load()
    environment = _environment(catalogue)

    def page(template: str, **values: Any) -> str:
        text = environment.get_template(f"{template}.jinja").render(values)
        return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"

    shapes = catalogue.entities.values()
    pages = {entity_path(each): page("entity", entity=each) for each in shapes if each.kind == "entity"}
    for family, (head, meaning) in KINDS.items():
        entities = [each for each in shapes if each.family == family]
        pages[f"entities/{family}.md"] = page("shapes", head=head, meaning=meaning, entities=entities)
    for module, commands in _modules(catalogue).items():
        pages[f"commands/{module}.md"] = page("command_module", title=_title(module), commands=commands)
    known = {value.name: value for value in catalogue.enums["ErrorCode"].values}
    codes = [(code, known.get(code), CODES.get(code)) for code in sorted({*known, *CODES})]
    return pages | {
        "entities/index.md": page("entities", families=_families(catalogue).items()),
        "commands/index.md": page("commands"),
        "enums/index.md": page("enums"),
        "error-codes.md": page("error_codes", codes=codes),
    }


def catalogue_nav() -> dict[str, list[object]]:
    """Return folder -> its part of the nav."""
    catalogue = load()
    families = {title: [*map(entity_path, entities)] for title, entities in _families(catalogue).items()}
    others = {"Other shapes": [f"entities/{family}.md" for family in KINDS]}
    return {
        "entities": ["entities/index.md", *({title: paths} for title, paths in (families | others).items())],
        "commands": ["commands/index.md", *(f"commands/{name}.md" for name in sorted(_modules(catalogue)))],
    }


def _environment(catalogue: Catalogue) -> Environment:
    links = Links(catalogue)
    found = Environment(  # noqa: S701 - Markdown of our own catalogue
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=ChainableUndefined,
    )
    found.filters["cell"] = cell
    found.globals |= {name: getattr(facts, name) for name in facts.__all__}
    found.globals |= {"link": links.to, "type_of": links.type_of, "acting": links.acting}
    found.globals |= {"referring": links.referring, "catalogue": catalogue, "KINDS": KINDS, "VERBS": VERBS}
    found.globals |= {"class_name": class_name, "snake": snake, "table": table}
    return found


def _title(module: str) -> str:
    return module.replace("_", " ").capitalize()


def _modules(catalogue: Catalogue) -> dict[str, Any]:
    return {path.rpartition(".")[2]: commands for path, commands in command_modules(catalogue).items()}


def _families(catalogue: Catalogue) -> dict[str, list[Entity]]:
    """Return the entities of each family by their title, sorted."""
    found: dict[str, list[Entity]] = {}
    for entity in sorted(catalogue.entities.values(), key=lambda each: (each.family, each.name)):
        if entity.kind == "entity":
            found.setdefault(_title(entity.family), []).append(entity)
    return found
