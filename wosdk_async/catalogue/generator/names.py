"""Names and places: how the service's names are spelt in Python and which module holds what."""

from __future__ import annotations

import keyword
import re

from wosdk_async.catalogue import Catalogue, Command, Entity

__all__ = [
    "BASES",
    "COMMAND_BASES",
    "all_order",
    "class_name",
    "command_module",
    "command_modules",
    "entity_module",
    "entity_modules",
    "enum_modules",
    "import_order",
    "member_name",
    "result_modules",
    "snake",
]

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
"""Abstract shapes of the service -> readable names; they never appear in a body."""

COMMAND_BASES = "commands.bases"
"""The module of the shapes that commands share."""

THEMES: dict[str, str] = {
    "company": r"GetCompany",
    "costs": r"Ap|CostStatus|Convert|.*Invoice|PostPayment",
    "documents": r"GetDoc|CreateWoPrintout|GetProcedureSteps",
    "entities": r"(Create|Update|Delete|Restore|Composite)Command|RetrieveWith",
    "people": r"TimeCard|GetTimeCard|User|GetPreferred|GetLicensed",
    "places": r"Space|WorkZone|Portfolio|GetCustomer|AssetMatch|Material",
    "work_orders": r".",
}
"""Module below ``commands/`` -> what the names of its commands begin with; the first match wins."""


def snake(name: str) -> str:
    """``WONServiceId`` -> ``won_service_id``."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    return f"{parts}_" if keyword.iskeyword(parts) else parts


def member_name(value: str) -> str:
    """The Python name of an enum value: its own, or in capitals where Python forbids that (``None``)."""
    return value.upper() if keyword.iskeyword(value) else value


def class_name(wire: str) -> str:
    """The Python class of an entity or abstract shape."""
    return BASES.get(wire, wire)


def import_order(name: str) -> tuple[int, list[str | int], str]:
    """Sort key of imported names: constants, classes, the rest, ignoring case within each."""
    return _rank(name), _natural(name.lower()), name


def all_order(name: str) -> tuple[int, list[str | int]]:
    """Sort key of ``__all__``: the same ranks, but capitals first within each."""
    return _rank(name), _natural(name)


def _rank(name: str) -> int:
    return 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2


def _natural(name: str) -> list[str | int]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def entity_module(entity: Entity) -> str:
    return entity.family


def entity_modules(catalogue: Catalogue) -> dict[str, list[Entity]]:
    """Module -> its classes, in the catalogue's order, bases before what derives from them."""
    modules: dict[str, list[Entity]] = {}
    for entity in catalogue.entities.values():
        modules.setdefault(entity_module(entity), []).append(entity)

    def depth(entity: Entity) -> int:
        return 1 + depth(catalogue.entities[entity.base]) if entity.base else 0

    modules["bases"].sort(key=depth)
    return modules


def command_module(command: Command) -> str:
    theme = next(theme for theme, start in THEMES.items() if re.match(start, command.name))
    return f"commands.{theme}"


def command_modules(catalogue: Catalogue) -> dict[str, list[Command]]:
    """Module -> its commands, in the catalogue's order."""
    modules: dict[str, list[Command]] = {}
    for command in catalogue.commands.values():
        modules.setdefault(command_module(command), []).append(command)
    return modules


def enum_modules(catalogue: Catalogue) -> dict[str, str]:
    """Enum -> module: one holds them all."""
    return dict.fromkeys(catalogue.enums, "enums")


def result_modules(catalogue: Catalogue) -> dict[str, str]:
    """Result class -> the module of the first command that answers it."""
    places: dict[str, str] = {}
    for command in catalogue.commands.values():
        if command.result:
            places.setdefault(command.result, command_module(command))
    return places
