"""The map of an import: one TOML file, checked as a whole before anything is sent."""

from __future__ import annotations

import graphlib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import attrs

from wosdk_async.jobs.errors import ImportMapError, MapMistakes
from wosdk_async.jobs.mapping.compiler import compile_object, compile_reference
from wosdk_async.jobs.mapping.nodes import ListNode, Node, ObjectNode, ReferenceNode, TextNode, named_columns
from wosdk_async.jobs.mapping.record_operations import RowOperation, operation_named
from wosdk_async.jobs.mapping.references import ReferenceSpec
from wosdk_async.jobs.mapping.tables import MapTables, ReferenceTable, checked_table, read_tables
from wosdk_async.jobs.mapping.template import NAME, Template
from wosdk_async.jobs.sources.columns import OPEN
from wosdk_async.jobs.sources.table_rules import TableRules
from wosdk_async.text.suggestions import suggestion

__all__ = ["DEFAULT_OPERATION", "ImportMap", "columns_behind", "paths_with"]

DEFAULT_OPERATION = "WoCreateCommand"


@attrs.frozen(repr=False)
class ImportMap:
    """The operation, the command or record for each row, and the references that it needs."""

    path: Path
    action: RowOperation
    record: ObjectNode
    """The command or the record that is built from a row."""
    references: tuple[ReferenceSpec, ...]
    """Ordered: each after those it needs."""
    marker: str | None = None
    """Field that carries the key of each row, unless the import names another."""
    key: Template | None = None
    """Template of the key that identifies rows; None if the marker carries it, or rows have no key."""
    fingerprint: str = ""
    """Hash of the map without its comments and layout."""
    rules: TableRules = attrs.field(factory=TableRules)
    """Rules for the rows of the file."""

    @classmethod
    def load(cls, path: str | Path, *, operation: str | None = None) -> ImportMap:
        """Read a map file and check it as a whole.

        Args:
            path: the file.
            operation: the operation on each row, such as ``"update Customer by tenant_code"``; by default
                that of the map, or else ``"WoCreateCommand"``.

        Raises:
            ImportMapError: the file cannot be used; the message names the file, the line or key, and the
                remedy.
        """
        path = Path(path)
        try:
            tables = read_tables(path)
            action = _operation(tables, operation)
            key = _key(tables)
            record, references = _compiled(tables, action)
            return cls(
                path, action, record, references, tables.marker, key, _fingerprint(tables), _rules(tables)
            )
        except ImportMapError as error:
            raise ImportMapError(f"{path}: {error.message}", **error.facts) from None
        except RecursionError:
            raise ImportMapError(f"{path}: its tables or lists are nested too deeply") from None

    def __repr__(self) -> str:
        names = ", ".join(spec.name for spec in self.references)
        return f"<ImportMap {self.path.name} references={names or None}>"

    @property
    def operation(self) -> str:
        """Name of the operation in the journal."""
        return self.action.name

    @property
    def columns(self) -> dict[str, str]:
        """The columns it reads, each with the table that names it."""
        found = dict.fromkeys(sorted(self.record.columns), f"[{self.action.table}] of {self.path}")
        for column in sorted(self.key.columns) if self.key is not None else ():
            found.setdefault(column, f"key of {self.path}")
        for spec in self.references:
            for column in sorted(spec.columns):
                found.setdefault(column, f"[reference.{spec.name}] of {self.path}")
        for column, key in self.rules.columns.items():
            found.setdefault(column, f"{key} of {self.path}")
        if OPEN in found:  # all of its places have to be filled in
            found[OPEN] = f"{', '.join(paths_with(OPEN, self.record, self.references))} of {self.path}"
        return found

    def columns_behind(self, reason: str) -> str | None:
        """Return the source of a field that the service reports as missing; None if unknown."""
        return columns_behind(reason, self.record, self.references)

    @property
    def fixed(self) -> frozenset[str]:
        """References that are the same for every row."""
        return frozenset(spec.name for spec in self.references if not spec.columns) & self.record.references


def _key(tables: MapTables) -> Template | None:
    """Return the template of ``key``. Raise ImportMapError when it names no column."""
    if tables.key is None:
        return None
    try:
        template = Template.parse(tables.key)
    except ValueError as error:
        raise ImportMapError(f"key: {error}") from None
    if not template.columns - {NAME}:
        raise ImportMapError(f'key takes a text with columns, as in "{{number}}", not {tables.key!r}')
    return template


def _fingerprint(tables: MapTables) -> str:
    given = attrs.asdict(tables, filter=lambda field, value: value is not None or field.name not in _ADDED)
    content = json.dumps(given, sort_keys=True, default=str)
    return hashlib.sha256(content.encode(errors="replace")).hexdigest()[:_FINGERPRINT]


_FINGERPRINT = 32  # digits
_ADDED = ("header_row", "fill_down", "skip_when")  # keys that a map from before has not


def _rules(tables: MapTables) -> TableRules:
    """Return the rules for the rows of the file. Raise ImportMapError that names the key."""
    if tables.header_row is not None and tables.header_row < 1:
        raise ImportMapError(f"header_row takes the number of a line from 1, not {tables.header_row}")
    columns = [tables.fill_down] if isinstance(tables.fill_down, str) else tables.fill_down or []
    if not isinstance(columns, list) or not all(isinstance(each, str) for each in columns):
        raise ImportMapError(f'fill_down takes names of columns, as in ["Due"], not {tables.fill_down!r}')
    try:
        return TableRules(tables.header_row, columns, () if tables.skip_when is None else tables.skip_when)
    except ValueError as error:
        raise ImportMapError(f"skip_when {error}") from None


def _operation(tables: MapTables, name: str | None) -> RowOperation:
    """Return the operation. Raise ImportMapError if map and caller disagree."""
    wanted = operation_named(name) if name is not None else None
    if tables.operation is None:
        if wanted is None and tables.command is None and tables.entity is not None:
            raise ImportMapError('operation is missing; write it first, as in operation = "create Customer"')
        return wanted or operation_named(DEFAULT_OPERATION)
    in_map = operation_named(tables.operation)
    if wanted is not None and wanted.name != in_map.name:
        raise ImportMapError(
            f"operation is {in_map.name!r}, but the caller wants {wanted.name!r}; omit "
            "the latter, or change the map"
        )
    return in_map


def _compiled(tables: MapTables, action: RowOperation) -> tuple[ObjectNode, tuple[ReferenceSpec, ...]]:
    table = action.table
    both = {"command": tables.command, "entity": tables.entity}
    other = next(name for name in both if name != table)
    if both[other] is not None:
        raise ImportMapError(f"[{other}] is not used by {action.name!r}; write its fields below [{table}]")
    if both[table] is None:
        raise ImportMapError(
            f"{table} is missing; write a table [{table}] with the fields of {action.kind.__name__}"
        )
    mistakes, specs = MapMistakes(), {}
    with mistakes.kept():
        record = compile_object(action.kind, both[table], table)
    for name, raw in tables.reference.items():
        path = f"reference.{name}"
        with mistakes.kept():
            specs[name] = compile_reference(name, checked_table(ReferenceTable, raw, path), path)
    mistakes.require_none()
    action.require_fields(record.fields)
    if NAME in record.columns:
        raise ImportMapError(
            f"{table}: {{}} stands for a name that was looked up; name a column, as in {{column}}"
        )
    _check_names(table, record, specs)
    for spec in specs.values():
        _check_filters(spec, specs)
    return record, _ordered(specs)


def _check_names(table: str, record: ObjectNode, specs: Mapping[str, ReferenceSpec]) -> None:
    """Refuse names of references that do not exist, and references that nothing names."""
    needs = {f"reference.{name}": spec.needs for name, spec in specs.items()}
    for place, names in {table: record.references, **needs}.items():
        for name in sorted(names - specs.keys()):
            raise ImportMapError(
                f'{place} names "@{name}", but there is no [reference.{name}]{suggestion(name, specs)}'
            )
    if unused := specs.keys() - record.references.union(*needs.values()):
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
                    f"reference.{spec.name}.where.{each.name}: @{name} must be one existing "
                    "record, the same for every row"
                )


def _ordered(specs: Mapping[str, ReferenceSpec]) -> tuple[ReferenceSpec, ...]:
    """Return the references in order, each after those it needs."""
    # In the order of the map: a set of texts has another one in every process.
    needs = {name: [each for each in specs if each in spec.needs] for name, spec in specs.items()}
    sorter = graphlib.TopologicalSorter(needs)
    try:
        return tuple(specs[name] for name in sorter.static_order())
    except graphlib.CycleError as error:
        cycle = " needs ".join(reversed(error.args[1]))
        raise ImportMapError(f"the references form a cycle: {cycle}") from None


# facts 6: "`X` is a required field"; X may be a path
_REQUIRED = re.compile(r"`?(?P<field>[A-Za-z]\w{0,99}(?:\.[A-Za-z]\w{0,99}){0,9})`? is a required field")


def paths_with(column: str, record: Node, specs: Iterable[ReferenceSpec]) -> list[str]:
    """Return the places of a map that read a column, as the map spells them."""
    found = [
        node.path for _, node in _leaves(record) if isinstance(node, TextNode) and column in node.columns
    ]
    for spec in specs:
        if spec.template is not None and column in spec.template.columns:
            found.append(f"reference.{spec.name}.from")
        if spec.create is not None:
            found += paths_with(column, spec.create, ())
    return found


def columns_behind(reason: str, record: Node, specs: Iterable[ReferenceSpec]) -> str | None:
    """Return where a value comes from that the service reports as missing, for a message; None if unknown.

    Args:
        reason: the message of the service.
        record: the record that the map makes from a row.
        specs: the references of the map.
    """
    named = _REQUIRED.search(reason)
    if named is None:
        return None
    wanted = f".{named['field']}".casefold()
    found = [node for path, node in _leaves(record) if f".{path}".casefold().endswith(wanted)]
    if not found:
        return "the map does not fill it"
    if len(found) > 1:
        return None
    (node,) = found
    columns = node.columns
    if isinstance(node, ReferenceNode):
        columns = frozenset().union(*(spec.columns for spec in specs if spec.name == node.name))
    blank = "blank " if isinstance(node, ListNode) else ""  # another field may hold a value that is not taken
    return f"{blank}{named_columns(columns)}" if columns else None


def _leaves(node: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    """Yield lists and the nodes without fields, each with the path of its field in the service's names."""
    if isinstance(node, ObjectNode):
        table = node.make.__wire__  # type: ignore[attr-defined]  # a class of the model
        for name, inner in node.fields.items():
            yield from _leaves(inner, f"{path}.{table[name]['name']}" if path else table[name]["name"])
    elif isinstance(node, ListNode):
        if any(isinstance(each, ObjectNode) for each in node.elements):
            yield path, node
        for each in node.elements:
            yield from _leaves(each, path)
    else:
        yield (f"{path}.Id" if isinstance(node, ReferenceNode) and not node.as_id else path), node
