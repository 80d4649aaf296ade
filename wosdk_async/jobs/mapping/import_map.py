"""The map of an import: one TOML file, checked as a whole before anything is sent."""

from __future__ import annotations

import graphlib
from collections.abc import Mapping
from pathlib import Path

import attrs

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.mapping.compiler import compile_object, compile_reference
from wosdk_async.jobs.mapping.nodes import ObjectNode
from wosdk_async.jobs.mapping.references import ReferenceSpec
from wosdk_async.jobs.mapping.tables import MapTables, ReferenceTable, checked_table, read_tables
from wosdk_async.jobs.mapping.template import NAME
from wosdk_async.model import WoCreateCommand
from wosdk_async.suggestions import suggestion

__all__ = ["ImportMap"]


@attrs.frozen(repr=False)
class ImportMap:
    """The command for each row, and the references that it needs."""

    path: Path
    command: ObjectNode
    references: tuple[ReferenceSpec, ...]
    """Each stands behind those it needs."""
    marker: str | None = None
    """Field that carries the key of each row, unless the import names another."""

    @classmethod
    def load(cls, path: str | Path) -> ImportMap:
        """Read a map file and check it as a whole.

        Raises:
            ImportMapError: the file cannot be used; the message names the file, the line or key, and the
                remedy.
        """
        path = Path(path)
        try:
            tables = read_tables(path)
            return cls(path, *_compiled(tables), tables.marker)
        except ImportMapError as error:
            raise ImportMapError(f"{path}: {error.message}") from None
        except RecursionError:
            raise ImportMapError(f"{path}: its tables or lists are nested too deeply") from None

    def __repr__(self) -> str:
        names = ", ".join(spec.name for spec in self.references)
        return f"<ImportMap {self.path.name} references={names or None}>"

    @property
    def operation(self) -> str:
        """What is done with each row, as the journal names it."""
        return WoCreateCommand.wire_name

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


def _compiled(tables: MapTables) -> tuple[ObjectNode, tuple[ReferenceSpec, ...]]:
    command = compile_object(WoCreateCommand, tables.command, "command")
    if NAME in command.columns:
        raise ImportMapError(
            "command: {} stands for a name that was looked up; name a column, as in {column}"
        )
    specs = {}
    for name, raw in tables.reference.items():
        path = f"reference.{name}"
        specs[name] = compile_reference(name, checked_table(ReferenceTable, raw, path), path)
    _check_names(command, specs)
    for spec in specs.values():
        _check_filters(spec, specs)
    return command, _ordered(specs)


def _check_names(command: ObjectNode, specs: Mapping[str, ReferenceSpec]) -> None:
    """Refuse names of references that do not exist, and references that nothing names."""
    needs = {f"reference.{name}": spec.needs for name, spec in specs.items()}
    for place, names in {"command": command.references, **needs}.items():
        for name in sorted(names - specs.keys()):
            raise ImportMapError(
                f'{place} names "@{name}", and there is no [reference.{name}]{suggestion(name, specs)}'
            )
    if unused := specs.keys() - command.references.union(*needs.values()):
        name = min(unused)
        raise ImportMapError(
            f'reference.{name} is used nowhere; write "@{name}" where it belongs, or delete it'
        )


def _check_filters(spec: ReferenceSpec, specs: Mapping[str, ReferenceSpec]) -> None:
    """Refuse a filter by a reference that is not the same existing record for every row."""
    for each in spec.filters:
        for name in each.node.references:
            if specs[name].columns or specs[name].create:
                raise ImportMapError(
                    f"reference.{spec.name}.where.{each.name}: @{name} is not one record that exists "
                    "already, so nothing can be looked up by it"
                )


def _ordered(specs: Mapping[str, ReferenceSpec]) -> tuple[ReferenceSpec, ...]:
    """Return the references, each behind those it needs."""
    sorter = graphlib.TopologicalSorter({name: spec.needs for name, spec in specs.items()})
    try:
        return tuple(specs[name] for name in sorter.static_order())
    except graphlib.CycleError as error:
        circle = " needs ".join(reversed(error.args[1]))
        raise ImportMapError(f"the references go in a circle: {circle}") from None
