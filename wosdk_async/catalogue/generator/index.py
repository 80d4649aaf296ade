"""The index of the model (name -> module) and the packages' ``__init__`` modules."""

from __future__ import annotations

from collections.abc import Mapping

from wosdk_async.catalogue import Catalogue
from wosdk_async.catalogue.generator.names import (
    COMMAND_BASES,
    all_order,
    class_name,
    command_module,
    entity_module,
    enum_modules,
    result_modules,
    snake,
)
from wosdk_async.catalogue.generator.text import from_import, header, literal

__all__ = ["index_files", "modules_of"]

BASE_NAMES = ["Command", "CommandResult", "OpenEnum", "Record", "Ref"]
LOOKUPS = ["command_class", "entity_class"]
REGISTRY = "from wosdk_async.model import registry"

INIT = '''\
{header}

from __future__ import annotations

from typing import TYPE_CHECKING, Any

{eager}
if TYPE_CHECKING:
{lazy}

__all__ = [
{names}]


def __getattr__(name: str) -> Any:
    """Load a class, and what its answers may hold, when it is first asked for (PEP 562)."""
    found = registry.named(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
'''


def modules_of(catalogue: Catalogue) -> dict[str, str]:
    """Python class -> module of the model that holds it."""
    return {
        **{class_name(entity.name): entity_module(entity) for entity in catalogue.entities.values()},
        **enum_modules(catalogue),
        **result_modules(catalogue),
        **dict.fromkeys(catalogue.command_bases, COMMAND_BASES),
        **{command.name: command_module(command) for command in catalogue.commands.values()},
        "CommandResult": "base",
    }


def _table(name: str, doc: str, rows: Mapping[str, str]) -> str:
    lines = "".join(f"    {literal(key)}: {literal(rows[key])},\n" for key in sorted(rows))
    return f'{name}: dict[str, str] = {{\n{lines}}}\n"""{doc}"""\n'


def _unsupported(catalogue: Catalogue) -> str:
    """The operations that the service is documented to refuse (spec 4.9 rule 1, facts 3.9)."""
    lines = []
    for name in sorted(catalogue.entities):
        entity = catalogue.entities[name]
        refused = [operation for operation, can in entity.operations.items() if can is False]
        if entity.kind == "entity" and refused:
            rows = "".join(
                f"        {literal(operation)}: {literal(entity.instead.get(operation, ''))},\n"
                for operation in refused
            )
            lines.append(f"    {literal(name)}: {{\n{rows}    }},\n")
    doc = "Entity -> operation that the service refuses -> what to do instead."
    return f'UNSUPPORTED: dict[str, dict[str, str]] = {{\n{"".join(lines)}}}\n"""{doc}"""\n'


def _needed(catalogue: Catalogue) -> str:
    """What the service refuses a new record without (facts 3.10)."""
    lines = []
    for name in sorted(catalogue.entities):
        if needs := catalogue.entities[name].needs:
            rows = "".join(f"        {literal(snake(f))}: {literal(text)},\n" for f, text in needs.items())
            lines.append(f"    {literal(name)}: {{\n{rows}    }},\n")
    doc = "Entity -> field without which the service refuses a new record -> what to do."
    return f'NEEDED: dict[str, dict[str, str]] = {{\n{"".join(lines)}}}\n"""{doc}"""\n'


def _index(catalogue: Catalogue) -> str:
    modules = modules_of(catalogue)
    aliases = dict(catalogue.aliases)
    paths = {
        path: command.name
        for command in catalogue.commands.values()
        for path in (command.name, command.path, *command.other_paths)
    }
    tables = [
        _table("ALIASES", "Another name -> the class.", aliases),
        _table("COMMANDS", "Wire name or path -> command.", paths),
        _table(
            "ENTITIES",
            "Wire name -> class.",
            aliases | {name: class_name(name) for name in catalogue.entities},
        ),
        _table(
            "MODULES", "Class -> module.", modules | {alias: modules[name] for alias, name in aliases.items()}
        ),
    ]
    tables += [_needed(catalogue), _unsupported(catalogue)]
    title = "Where every class of the model is, and what it is not for."
    return f"{header(title)}\n\nfrom __future__ import annotations\n\n" + "\n".join(tables)


def _lazy(modules: Mapping[str, str]) -> str:
    by_module: dict[str, list[str]] = {}
    for name, module in modules.items():
        by_module.setdefault(f"wosdk_async.model.{module}", []).append(name)
    return "\n".join(from_import(module, by_module[module], "    ") for module in sorted(by_module))


def _package(catalogue: Catalogue) -> str:
    modules = {name: module for name, module in modules_of(catalogue).items() if name not in BASE_NAMES}
    lazy = _lazy(modules)
    same = "\n".join(f"    {alias} = {name}" for alias, name in sorted(catalogue.aliases.items()))
    names = [*modules, *BASE_NAMES, *LOOKUPS, *catalogue.aliases]
    eager = "\n".join(
        [
            REGISTRY,
            from_import("wosdk_async.model.base", BASE_NAMES),
            from_import("wosdk_async.model.registry", LOOKUPS),
        ]
    )
    title = "The service's entities, values, enums and commands as classes; each is loaded at first use."
    listed = "".join(f'    "{name}",\n' for name in sorted(names, key=all_order))
    return INIT.format(header=header(title), eager=f"{eager}\n", lazy=f"{lazy}\n\n{same}", names=listed)


def index_files(catalogue: Catalogue) -> dict[str, str]:
    """Module -> its text."""
    return {
        "index": _index(catalogue),
        "__init__": _package(catalogue),
        "commands.__init__": f"{header('Commands and their results, one module for each theme.')}\n",
    }
