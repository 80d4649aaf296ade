"""All pages that are written from the catalogue, and their part of the nav."""

from __future__ import annotations

from docs.builder.command_pages import command_pages
from docs.builder.entity_pages import KINDS, entity_pages, families
from docs.builder.markup import title
from docs.builder.shapes import Links
from docs.builder.value_pages import code_page, enum_page
from wosdk_async.catalogue import load
from wosdk_async.catalogue.generator.names import command_modules

__all__ = ["pages", "tree"]


def pages() -> dict[str, str]:
    """Return path -> text of all pages from the catalogue."""
    catalogue = load()
    links = Links(catalogue)
    return {
        **dict(entity_pages(links)),
        **dict(command_pages(links)),
        "enums/index.md": enum_page(links),
        "error-codes.md": code_page(Links(catalogue, "")),
    }


def tree() -> dict[str, list[object]]:
    """Return folder -> its part of the nav."""
    catalogue = load()
    groups: list[object] = [
        {title(family): [f"entities/{name}.md" for name in names]}
        for family, names in families(catalogue).items()
    ]
    groups.append({"Other shapes": [f"entities/{family}.md" for family in KINDS]})
    modules = sorted(module.rpartition(".")[2] for module in command_modules(catalogue))
    return {
        "entities/": ["entities/index.md", *groups],
        "commands/": ["commands/index.md", *(f"commands/{name}.md" for name in modules)],
        "enums/": ["enums/index.md"],
    }
