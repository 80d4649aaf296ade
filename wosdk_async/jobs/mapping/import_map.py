"""The map of an import: one TOML file, checked as a whole before anything is sent."""

from __future__ import annotations

import graphlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.errors import ImportMapError, nearest
from wosdk_async.jobs.mapping.compiler import table_of
from wosdk_async.jobs.mapping.references import ReferenceSpec, reference_of
from wosdk_async.jobs.mapping.values import NAME, ObjectNode
from wosdk_async.model import WoCreateCommand

__all__ = ["ImportMap"]

_TABLES = ("command", "reference")


@attrs.frozen(repr=False)
class ImportMap:
    """What becomes of a row: the fields of its command, and the records that these refer to.

    ``references`` are in the order in which they must be known.
    """

    path: Path
    command: ObjectNode
    references: tuple[ReferenceSpec, ...]

    @classmethod
    def load(cls, path: str | Path) -> ImportMap:
        """Read and check a map. Raises ImportMapError, which names the file, line or key, and the remedy."""
        path = Path(path)
        try:
            return cls(path, *_compiled(_tables(path)))
        except ImportMapError as error:
            raise ImportMapError(f"{path}: {error.message}") from None
        except RecursionError:
            raise ImportMapError(f"{path}: its tables or lists are nested too deeply") from None

    def __repr__(self) -> str:
        names = ", ".join(spec.name for spec in self.references)
        return f"<ImportMap {self.path.name} references={names or None}>"

    @property
    def columns(self) -> dict[str, str]:
        """The columns it reads, each with the table that names it."""
        found = dict.fromkeys(sorted(self.command.columns), f"[command] of {self.path}")
        for spec in self.references:
            for column in sorted(spec.columns):
                found.setdefault(column, f"[reference.{spec.name}] of {self.path}")
        return found

    @property
    def fixed(self) -> frozenset[str]:
        """The references of the command that are the same for every row."""
        return frozenset(spec.name for spec in self.references if not spec.columns) & self.command.references


def _tables(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ImportMapError(f"{error.strerror or error}; name a map as in docs/import.md") from None
    except UnicodeDecodeError as error:
        raise ImportMapError(
            f"the byte at offset {error.start} is not UTF-8; save the file as UTF-8"
        ) from None
    except ValueError as error:  # a TOMLDecodeError, a number of thousands of digits
        raise ImportMapError(f"this is no TOML: {error}") from None


def _compiled(tables: Mapping[str, Any]) -> tuple[ObjectNode, tuple[ReferenceSpec, ...]]:
    for key in tables:
        if key not in _TABLES:
            raise ImportMapError(
                f"the table {key!r} is unknown{nearest(key, _TABLES) or '.'} "
                "There are [command] and [reference.<name>]"
            )
    if "command" not in tables:
        raise ImportMapError("there is no table [command]; it holds the fields of WoCreateCommand")
    command = table_of(WoCreateCommand, tables["command"], "command")
    if NAME in command.columns:
        raise ImportMapError(
            "command: {} stands for a name that was looked up; name a column, as in {column}"
        )
    found = tables.get("reference", {})
    if not isinstance(found, Mapping):
        raise ImportMapError(f"reference takes tables such as [reference.customer], not {found!r}")
    specs = {name: reference_of(name, table, f"reference.{name}") for name, table in found.items()}
    return command, _ordered(command, specs)


def _ordered(command: ObjectNode, specs: Mapping[str, ReferenceSpec]) -> tuple[ReferenceSpec, ...]:
    """The references so that each comes after those it needs; every one is there, and used."""
    needs = {f"reference.{name}": spec.needs for name, spec in specs.items()}
    for place, names in {"command": command.references, **needs}.items():
        for name in sorted(names - specs.keys()):
            raise ImportMapError(
                f'{place} names "@{name}", and there is no [reference.{name}]{nearest(name, specs)}'
            )
    unused = specs.keys() - command.references.union(*needs.values())
    if unused:
        name = min(unused)
        raise ImportMapError(
            f'reference.{name} is used nowhere; write "@{name}" where it belongs, or delete it'
        )
    for spec in specs.values():
        _check_filters(spec, specs)
    try:
        order = list(
            graphlib.TopologicalSorter({name: spec.needs for name, spec in specs.items()}).static_order()
        )
    except graphlib.CycleError as error:
        circle = " needs ".join(reversed(error.args[1]))
        raise ImportMapError(f"the references go in a circle: {circle}") from None
    return tuple(specs[name] for name in order)


def _check_filters(spec: ReferenceSpec, specs: Mapping[str, ReferenceSpec]) -> None:
    for each in spec.filters:
        for name in each.value.references:
            if specs[name].columns or specs[name].create:
                raise ImportMapError(
                    f"reference.{spec.name}.where.{each.name}: @{name} is not one record that is there "
                    "already, so nothing can be looked up by it"
                )
