"""Python names of classes and fields, and the module of each class."""

from __future__ import annotations

import keyword
import re

from wosdk_async.catalogue import Catalogue, Command, Entity

BASES = {
    "CorrigoEntity": "Entity",
    "CorrigoEntityMoneyValues": "MoneyValuesEntity",
    "CorrigoEntityWithOptimisticLock": "LockedEntity",
    "EmployeeBridgeCorrigoEntity": "EmployeeLinkEntity",
    "LookupCorrigoEntity": "LookupEntity",
    "PortfolioChildCorrigoEntity": "PortfolioChildEntity",
    "RemovableCorrigoEntity": "RemovableEntity",
    "RemovableWithOriginalCorrigoEntity": "RemovableWithOriginalEntity",
    "SimpleLookupCorrigoEntity": "SimpleLookupEntity",
    "SimpleLookupWithOptimisticLockCorrigoEntity": "LockedSimpleLookupEntity",
}
"""Readable names of the service's abstract shapes, which are never sent."""

COMMAND_BASES = "commands.bases"  # module of the shared command shapes

THEMES: dict[str, str] = {
    "company": r"GetCompany",
    "costs": r"Ap|CostStatus|Convert|.*Invoice|PostPayment",
    "documents": r"GetDoc|CreateWoPrintout|GetProcedureSteps",
    "entities": r"(Create|Update|Delete|Restore|Composite)Command|RetrieveWith",
    "people": r"TimeCard|GetTimeCard|User|GetPreferred|GetLicensed",
    "places": r"Space|WorkZone|Portfolio|GetCustomer|AssetMatch|Material",
    "work_orders": r".",
}
"""Pattern for the start of command names, by module below ``commands/``; the first match wins."""


def snake(name: str) -> str:
    """Return a field's Python name: ``won_service_id`` for ``WONServiceId``."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    return f"{parts}_" if keyword.iskeyword(parts) else parts


def member_name(value: str) -> str:
    """Return an enum value's Python name; a Python keyword is written in capitals (``NONE`` for ``None``)."""
    return value.upper() if keyword.iskeyword(value) else value


def class_name(wire: str) -> str:
    """Return the name of the Python class for an entity or abstract shape."""
    return BASES.get(wire, wire)


def entity_modules(catalogue: Catalogue) -> dict[str, list[Entity]]:
    """Return each module's entities in the catalogue's order, bases before subclasses."""
    modules: dict[str, list[Entity]] = {}
    for entity in catalogue.entities.values():
        modules.setdefault(entity.family, []).append(entity)
    modules["bases"].sort(key=lambda entity: depth(catalogue, entity))
    return modules


def depth(catalogue: Catalogue, entity: Entity) -> int:
    """Return the number of an entity's bases."""
    return 1 + depth(catalogue, catalogue.entities[entity.base]) if entity.base else 0


def command_module(command: Command) -> str:
    """Return the module of a command."""
    theme = next(theme for theme, start in THEMES.items() if re.match(start, command.name))
    return f"commands.{theme}"


def command_modules(catalogue: Catalogue) -> dict[str, list[Command]]:
    """Return each module's commands in the catalogue's order."""
    modules: dict[str, list[Command]] = {}
    for command in catalogue.commands.values():
        modules.setdefault(command_module(command), []).append(command)
    return modules


def result_modules(catalogue: Catalogue) -> dict[str, str]:
    """Return the module of each result class: the module of the first command with this result."""
    modules: dict[str, str] = {}
    for command in catalogue.commands.values():
        if command.result:
            modules.setdefault(command.result, command_module(command))
    return modules
