"""Import map, a TOML file that is fully validated before anything is sent."""

from __future__ import annotations

import graphlib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.errors import ImportMapError, MapMistakes
from wosdk_async.jobs.mapping.compiler import compile_object, compile_reference, parsed_template
from wosdk_async.jobs.mapping.nodes import ListNode, Node, ObjectNode, ReferenceNode, TextNode, named_columns
from wosdk_async.jobs.mapping.record_operations import RowOperation, operation_named
from wosdk_async.jobs.mapping.references import ReferenceSpec
from wosdk_async.jobs.mapping.tables import MapTables, ReferenceTable, checked_table, read_tables
from wosdk_async.jobs.mapping.template import NAME, Template
from wosdk_async.jobs.sources.table_rules import PLACEHOLDER, TableRules
from wosdk_async.text.suggestions import suggestion

DEFAULT_OPERATION = "WoCreateCommand"


@attrs.frozen(repr=False)
class ImportMap:
    """Import map, with the operation, the record to build from each row, and the references."""

    path: Path
    action: RowOperation
    record: ObjectNode
    """Command or record to build from each row."""
    references: tuple[ReferenceSpec, ...]
    """References in dependency order."""
    marker: str | None = None
    """Field that carries each row's key; an import can choose another field."""
    key: Template | None = None
    """Template of the row key; None if the marker carries the key or rows have no key."""
    fingerprint: str = ""
    """Hash of the map, without comments, formatting, the operation and the rules for reading rows."""
    rules: TableRules = attrs.field(factory=TableRules)
    """Rules for reading the rows to import."""
    content: str = ""
    """Like ``fingerprint``, but without the key, the marker and the marker's field."""

    @classmethod
    def load(cls, path: str | Path, *, operation: str | None = None) -> ImportMap:
        """Read and validate a map file.

        Args:
            path: the map file.
            operation: the operation on each row, such as ``"update Customer by tenant_code"`` (default: the
                map's operation, or ``"WoCreateCommand"`` if the map has none).

        Raises:
            ImportMapError: the map is invalid; the message names the file, the line or key, and the fix.
        """
        path = Path(path)
        try:
            tables = read_tables(path)
            action = _operation(tables, operation)
            key = _key(tables)
            record, references = _compiled(tables, action)
            content = _fingerprint(_without_key(tables, action.table))
            rest = tables.marker, key, _fingerprint(tables), _rules(tables), content
            return cls(path, action, record, references, *rest)
        except ImportMapError as error:
            raise ImportMapError(f"{path}: {error.message}", **error.facts) from None
        except RecursionError:
            raise ImportMapError(f"{path}: tables or lists are nested too deeply") from None

    def __repr__(self) -> str:
        names = ", ".join(spec.name for spec in self.references)
        return f"<ImportMap {self.path.name} references={names or None}>"

    @property
    def operation(self) -> str:
        """Operation name, as recorded in the journal."""
        return self.action.name

    @property
    def columns(self) -> dict[str, str]:
        """Columns that the map reads, each with its place in the map."""
        found = dict.fromkeys(sorted(self.record.columns), f"[{self.action.table}] of {self.path}")
        for column in sorted(self.key.columns) if self.key is not None else ():
            found.setdefault(column, f"key of {self.path}")
        for spec in self.references:
            for column in sorted(spec.columns):
                found.setdefault(column, f"[reference.{spec.name}] of {self.path}")
        for column, key in self.rules.columns.items():
            found.setdefault(column, f"{key} of {self.path}")
        if PLACEHOLDER in found:  # the user must replace every placeholder, so name all places
            places = _paths_with(PLACEHOLDER, self.record, self.references)
            found[PLACEHOLDER] = f"{', '.join(places)} of {self.path}"
        return found

    def columns_behind(self, reason: str) -> str | None:
        """Describe the columns of the field that ``reason`` reports as missing; return None if unknown."""
        named = _REQUIRED.search(reason)
        if named is None:
            return None
        wanted = f".{named['field']}".casefold()
        nodes = [node for path, node in _leaves(self.record) if f".{path}".casefold().endswith(wanted)]
        if len(nodes) != 1:
            return None if nodes else "the map does not set it"
        columns = columns_of(nodes[0], self)
        # The service reports a list only if it is blank, but another field also if it rejects the value.
        blank = "blank " if isinstance(nodes[0], ListNode) else ""
        return f"{blank}{named_columns(columns)}" if columns else None

    @property
    def fixed(self) -> frozenset[str]:
        """References that name the same record for every row."""
        return frozenset(spec.name for spec in self.references if not spec.columns) & self.record.references


def columns_of(node: Node, import_map: ImportMap) -> frozenset[str]:
    """Return the columns behind a field, including those of its references."""
    specs = (spec for spec in import_map.references if spec.name in node.references)
    return node.columns.union(*(spec.columns for spec in specs))


def _key(tables: MapTables) -> Template | None:
    if tables.key is None:
        return None
    template = parsed_template(tables.key, "key")
    if not template.columns - {NAME}:
        raise ImportMapError(f'key takes a template with columns, as in "{{number}}", not {tables.key!r}')
    return template


def _without_key(tables: MapTables, table: str) -> MapTables:
    kept = getattr(tables, table)
    if tables.marker is not None:
        kept = _without(kept, tables.marker.split("."))
    return attrs.evolve(tables, key=None, marker=None, **{table: kept})


def _without(table: Any, path: Sequence[str]) -> Any:
    first, *rest = path
    if not isinstance(table, Mapping):
        return table
    kept = {name: each for name, each in table.items() if rest or name != first}
    return {**kept, first: _without(kept[first], rest)} if rest and first in kept else kept


def _fingerprint(tables: MapTables) -> str:
    tables = attrs.evolve(tables, operation=None)  # an option may name it instead of the map
    given = attrs.asdict(tables, filter=lambda field, _: field.name not in _RULES)
    content = json.dumps(given, sort_keys=True, default=str)
    return hashlib.sha256(content.encode(errors="replace")).hexdigest()[:32]


_RULES = ("header_row", "fill_down", "skip_when")  # they change which cells are read, not the map


def _rules(tables: MapTables) -> TableRules:
    if tables.header_row is not None and tables.header_row < 1:
        raise ImportMapError(f"header_row takes a line number, 1 or higher, not {tables.header_row}")
    columns = [tables.fill_down] if isinstance(tables.fill_down, str) else tables.fill_down or []
    if not isinstance(columns, list) or not all(isinstance(each, str) for each in columns):
        raise ImportMapError(f'fill_down takes column names, as in ["Due"], not {tables.fill_down!r}')
    try:
        return TableRules(tables.header_row, columns, () if tables.skip_when is None else tables.skip_when)
    except ValueError as error:
        raise ImportMapError(f"skip_when {error}") from None


def _operation(tables: MapTables, name: str | None) -> RowOperation:
    wanted = operation_named(name) if name is not None else None
    if tables.operation is None:
        if wanted is None and tables.command is None and tables.entity is not None:
            raise ImportMapError('operation is missing; add operation = "create Customer" as the first line')
        return wanted or operation_named(DEFAULT_OPERATION)
    in_map = operation_named(tables.operation)
    if wanted is not None and wanted.name != in_map.name:
        raise ImportMapError(
            f"operation is {in_map.name!r}, but {wanted.name!r} was requested; omit the requested operation, "
            "or change the map"
        )
    return in_map


def _compiled(tables: MapTables, action: RowOperation) -> tuple[ObjectNode, tuple[ReferenceSpec, ...]]:
    table, other = action.table, "entity" if action.table == "command" else "command"
    if getattr(tables, other) is not None:
        raise ImportMapError(f"{action.name!r} does not use [{other}]; move its fields to [{table}]")
    raw_record = getattr(tables, table)
    if raw_record is None:
        raise ImportMapError(f"{table} is missing; add a table [{table}] with {action.kind.__name__} fields")
    mistakes, specs = MapMistakes(), {}
    with mistakes.collect():
        record = compile_object(action.kind, raw_record, table)
    for name, raw in tables.reference.items():
        path = f"reference.{name}"
        with mistakes.collect():
            specs[name] = compile_reference(name, checked_table(ReferenceTable, raw, path), path)
    mistakes.require_none()
    if action.compares:  # an update requires no fields
        optional = {
            name: attrs.evolve(node, required=False) if isinstance(node, ReferenceNode) else node
            for name, node in record.fields.items()
        }
        record = attrs.evolve(record, fields=optional)
    action.require_fields(record.fields)
    if NAME in record.columns:
        raise ImportMapError(
            f"{table}: {{}} stands for the looked-up name, which only references have; name a column, as in "
            "{column}"
        )
    _check_names(table, record, specs)
    for spec in specs.values():
        _check_filters(spec, specs)
    return record, _ordered(specs)


def _check_names(table: str, record: ObjectNode, specs: Mapping[str, ReferenceSpec]) -> None:
    needs = {f"reference.{name}": spec.needs for name, spec in specs.items()}
    for place, names in {table: record.references, **needs}.items():
        for name in sorted(names.difference(specs)):
            raise ImportMapError(
                f'{place} names "@{name}", but there is no [reference.{name}]'
                f"{suggestion(name, specs) or '; add this table'}"
            )
    if unused := specs.keys() - record.references.union(*needs.values()):
        name = min(unused)
        raise ImportMapError(
            f'reference.{name} is unused; write "@{name}" in a field, or remove the reference'
        )


def _check_filters(spec: ReferenceSpec, specs: Mapping[str, ReferenceSpec]) -> None:
    for each in spec.filters:
        for name in each.node.references:
            if specs[name].columns or specs[name].create:
                raise ImportMapError(
                    f"reference.{spec.name}.where.{each.name}: @{name} must be the same existing "
                    "record for every row; remove its columns and if_missing"
                )


def _ordered(specs: Mapping[str, ReferenceSpec]) -> tuple[ReferenceSpec, ...]:
    # In the map's order, because the iteration order of a string set differs between processes.
    order = {name: place for place, name in enumerate(specs)}
    needs = {name: sorted(spec.needs, key=order.__getitem__) for name, spec in specs.items()}
    sorter = graphlib.TopologicalSorter(needs)
    try:
        return tuple(specs[name] for name in sorter.static_order())
    except graphlib.CycleError as error:
        cycle = " needs ".join(reversed(error.args[1]))
        raise ImportMapError(f"references form a cycle: {cycle}; remove one of these references") from None


# facts 6: "`X` is a required field"; X may be a path
_REQUIRED = re.compile(r"`?(?P<field>[A-Za-z]\w{0,99}(?:\.[A-Za-z]\w{0,99}){0,9})`? is a required field")


def _paths_with(column: str, record: Node, specs: Iterable[ReferenceSpec]) -> list[str]:
    """Return the map keys that read a column, as full paths."""
    paths = [
        node.path for _, node in _leaves(record) if isinstance(node, TextNode) and column in node.columns
    ]
    for spec in specs:
        if spec.template is not None and column in spec.template.columns:
            paths.append(f"reference.{spec.name}.from")
        if spec.create is not None:
            paths += _paths_with(column, spec.create, ())
    return paths


def _leaves(node: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    """Yield lists and leaf nodes, each with its field path in wire names."""
    if isinstance(node, ObjectNode):
        table = node.make.__wire__
        for name, inner in node.fields.items():
            yield from _leaves(inner, f"{path}.{table[name]['name']}" if path else table[name]["name"])
    elif isinstance(node, ListNode):
        if any(isinstance(each, ObjectNode) for each in node.elements):
            yield path, node
        for each in node.elements:
            yield from _leaves(each, path)
    else:
        yield (f"{path}.Id" if isinstance(node, ReferenceNode) and not node.as_id else path), node
