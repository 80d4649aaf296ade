"""Map drafts. A field without a similar column gets the placeholder ``{ADAPT}``, which imports reject."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.mapping.draft_columns import (
    AMOUNT,
    REASON,
    DraftField,
    KeyColumns,
    assign,
    german_format,
    is_usable,
    name_field,
)
from wosdk_async.jobs.mapping.record_operations import RowOperation
from wosdk_async.jobs.mapping.tables import KINDS
from wosdk_async.jobs.sources.table_rules import PLACEHOLDER
from wosdk_async.model import (
    Command,
    Record,
    WoActionReasonLookup,
    WoCreateCommand,
    WorkOrder,
    entity_class,
    registry,
)
from wosdk_async.model.enums import WOActionType, WOType
from wosdk_async.text.safe_text import one_line

ADAPT = f"{{{PLACEHOLDER}}}"

_WIDTH = 110
_SHOWN_VALUES = 8  # values shown per enum
_MARKER_FIELD = "po_number"  # usual marker field of a new work order
_SKIPPED = {"id", "perform_deletion", "is_new", "concurrency_id", "is_removed"}
_COMPUTED = {
    # computed for a new order (facts 5); its costs are a separate record
    "WorkOrder": {"number", "status_id", "short_location", "task_refinement", "time_zone", "currency_type_id"}
    | {"dt_created", "created_date_utc", "last_action_date", "last_action_date_utc", "work_order_cost"}
}
_SUGGESTED = {"display_as", "name", "last_name"}


def draft_map(
    columns: Sequence[str],
    operation: RowOperation,
    file: str,
    keys: KeyColumns | None = None,
    note: str = "",
    header_row: int | None = None,
) -> str:
    """Return a draft map for ``file``, as TOML text.

    ``keys`` is None if the rows have not been read; ``note`` says where further fields are described.
    """
    keys = keys or KeyColumns()
    found = draft_fields(columns, operation, keys)
    shown = [each for each in found if each.shown]
    hidden = [f"{_bare(each.table)}.{each.name}" for each in found if not each.shown]
    lines = [
        *_comment(f"Draft map for {file}. Replace each {ADAPT} with a {{column}} or a fixed value."),
        *_comment("Check every line: columns were matched by similar names only."),
        *_column_notes(columns, found),
        "",
        f"operation = {_quoted(operation.name)}",
        *([f"header_row = {header_row}  # skip the lines above"] if header_row else []),
        *_marker(operation, shown, keys),
        *_tables(operation, shown, keys),
        *_references(shown),
        "",
        *(_comment(f"Further fields{note}: {', '.join(hidden)}") if hidden else ()),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _column_notes(columns: Sequence[str], found: Sequence[DraftField]) -> Iterator[str]:
    used = {each.column for each in found}
    if unused := [column for column in columns if column not in used and is_usable(column)]:
        yield from _comment(f"Unmatched columns: {', '.join(unused)}")
    if bad := [repr(column) for column in columns if column.strip() and not is_usable(column)]:
        yield from _comment(f"Rename these columns, whose names are invalid in maps: {', '.join(bad)}")


def _marker(operation: RowOperation, shown: Sequence[DraftField], keys: KeyColumns) -> list[str]:
    of_orders = operation.table == "command"
    if operation.by is not None or (of_orders and operation.label != "created"):
        return []
    candidates = [each for each in shown if each.meta["type"] == "string" and each.target is None]
    if of_orders:
        candidates = [each for each in candidates if each.name == _MARKER_FIELD]
    purpose = "The marker field carries each row's key, so that no row is created twice."
    for each in candidates:
        path = f"work_order.{each.name}" if of_orders else each.name
        if each.column in keys.unique and _may_be_marker(operation, path):
            others = ", ".join(key for key in keys.unique if key != each.column)
            more = f" Other unique columns: {others}." if others else ""
            text = f"{purpose} All cells in {each.column} are unique.{more}"
            return ["", *_comment(text), f"marker = {_quoted(path)}"]
    examples = [f"work_order.{_MARKER_FIELD}"] if of_orders else [each.name for each in candidates]
    example = f"marker = {_quoted(examples[0])}" if examples else "marker"
    unique = f" Unique columns: {', '.join(keys.unique)}." if keys.unique else ""
    named = [each.column for each in candidates if of_orders]
    nearly = "".join(
        f" {column} could be the key, but {', '.join(exceptions)}."
        for column, exceptions in keys.exceptions.items()
        if column in keys.nearly or column in named
    )
    text = f"{purpose} Fill the field from a unique column, then remove the # below.{unique}{nearly}"
    return ["", *_comment(text), f"# {example}"]


def _may_be_marker(operation: RowOperation, path: str) -> bool:
    try:
        operation.require_marker(path)
    except ImportMapError:
        return False
    return True


def _tables(operation: RowOperation, shown: Sequence[DraftField], keys: KeyColumns) -> Iterator[str]:
    tables = dict.fromkeys((operation.table, *(each.table for each in shown)))
    for table in tables:
        yield ""
        yield f"[[{_bare(table)}]]" if table.startswith("[") else f"[{table}]"
        for each in shown:
            if each.table == table:
                value = _quoted(f"@{each.reference}" if each.target is not None else _from(each))
                if form := german_format(keys.samples.get(each.column or "", ()), each.looks):
                    value = f"{{ text = {value}, {form} }}"
                yield f"{each.name} = {value}  # {_explained(each)}"


def _bare(table: str) -> str:
    return table.replace("[", "").replace("]", "")


def _references(shown: Sequence[DraftField]) -> Iterator[str]:
    for each in shown:
        if each.target is not None:
            yield ""
            yield f"[reference.{each.reference}]"
            yield f"entity = {_quoted(each.target.__name__)}"
            yield f"by = {_quoted(name_field(each.target, each.column) or '')}"
            yield f"from = {_quoted(_from(each))}"
            missing = 'if_missing = "fail"  # or "create", with a table of further fields'
            yield f"where = {each.where}" if each.where else missing


def _from(field: DraftField) -> str:
    return ADAPT if field.column is None else f"{{{field.column}}}"


def _explained(field: DraftField) -> str:
    kind, meta = field.meta["type"], field.meta
    if field.target is not None:
        text = f"{field.target.__name__}, looked up by name below"
        fixed = "12" if kind == "integer" else "{ id = 12 }"
        text += f"; for a fixed record write {fixed}, and delete the table below"
    elif kind == "enum":
        values = [each.name for each in registry.resolve(meta["of"] or "")]
        more = ", ..." if len(values) > _SHOWN_VALUES else ""
        text = f"one of {', '.join(values[:_SHOWN_VALUES])}{more}"
        if meta["of"] == WOType.__name__:
            text += "; a Request needs a customer"
    elif kind.startswith("datetime"):
        text = 'a time; if not in ISO 8601: { text = "{...}", date = "%d.%m.%Y" }'
    else:
        text = KINDS.get(kind, "a string")
        if limit := meta.get("max_length"):
            text += f" of at most {limit} characters"
    return f"{'required; ' if field.required else field.note}{text}"


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(one_line(text), _WIDTH, break_long_words=False)]


def _quoted(text: Any) -> str:
    return json.dumps(text, ensure_ascii=False)


# --- candidate fields -----------------------------------------------------------------------------


def draft_fields(columns: Sequence[str], operation: RowOperation, keys: KeyColumns) -> list[DraftField]:
    """Return an operation's candidate fields, with proposed columns."""
    candidates = list(_fields(operation.kind, operation.table))
    if operation.table == "entity":
        for each in candidates:  # all are optional, because the service seems to require none
            each.suggested = each.required and (each.target is not None or each.name in _SUGGESTED)
            each.required = False
    if operation.by is not None:
        candidates = _change_fields(operation, candidates)
    assign(candidates, [column for column in columns if is_usable(column)], keys)
    if operation.kind is WoCreateCommand:
        _assign_key(candidates, keys.unique)
    if operation.by is not None and operation.compares and not any(each.column for each in candidates[1:]):
        example = candidates[min(1, len(candidates) - 1)]  # shown, because an update needs a field to write
        example.suggested, example.note = True, "an example (choose the fields to update); "
    _name_references([each for each in candidates if each.shown])
    return candidates


def _fields(kind: type[Record], table: str, *, nested: bool = False) -> Iterator[DraftField]:
    """Yield the fields of a class and of the objects that a command requires."""
    inner = issubclass(kind, Command) or nested
    for name, meta in kind.__wire__.items():
        required, many = bool(meta.get("required")), bool(meta.get("many"))
        # a command's status_id is the expected current state of the order (facts 3.7)
        expected = name == "status_id" and issubclass(kind, Command)
        if name in _SKIPPED or name in _COMPUTED.get(kind.wire_name, ()) or expected or meta.get("secret"):
            continue
        if meta["type"] == "ref" and inner and required and (many or issubclass(kind, Command)):
            below = f"[{table}.{name}]" if many else f"{table}.{name}"
            yield from _fields(registry.resolve(meta["of"] or ""), below, nested=True)
        elif many:
            continue
        elif meta["type"] == "ref":
            target = entity_class(meta["of"] or "")
            if target is not None and "id" in target.__wire__ and name_field(target):
                field = DraftField(table, name, meta, required, target=target)
                if kind is WorkOrder and nested and name == "customer":  # facts 5: required for a Request
                    field.suggested, field.note = True, "required for a Request (otherwise delete it); "
                yield field
        elif meta["type"] == "money":
            number = registry.resolve(meta["of"] or "").__wire__["value"]
            yield DraftField(table, f"{name}{AMOUNT}", number, required)
        elif name == REASON and required and (action := _action_of(kind)):
            where = f'{{ action_id = "{action}", hide = false }}'
            yield DraftField(table, name, meta, required, target=WoActionReasonLookup, where=where)
        elif meta["type"] not in ("object", "any"):
            yield DraftField(table, name, meta, required)


def _action_of(kind: type[Record]) -> str | None:
    """Return the action type of a command's reasons (facts 4); None if the command has none."""
    word = kind.wire_name.removeprefix("Wo").removesuffix("Command")
    return word if word in WOActionType.__members__ else None


def _change_fields(operation: RowOperation, candidates: list[DraftField]) -> list[DraftField]:
    """Return the fields of an update or delete, starting with the key."""
    by = operation.by or ""
    key = DraftField(operation.table, by, operation.kind.__wire__[by], required=False, suggested=True)
    key.note = "identifies the record; "
    for each in candidates:
        each.suggested = False
    return [key, *(each for each in candidates if each.name != by and operation.compares)]


def _assign_key(candidates: Sequence[DraftField], keys: Sequence[str]) -> None:
    taken = {each.column for each in candidates}
    for each in candidates:
        if each.name == _MARKER_FIELD and each.column is None and keys:
            each.column = next((key for key in keys if key not in taken), keys[0])


def _name_references(shown: Sequence[DraftField]) -> None:
    used: Counter[str] = Counter()
    for each in shown:
        if each.target is not None:
            name = each.name.removesuffix("_id")
            used[name] += 1
            each.reference = name if used[name] == 1 else f"{name}_{used[name]}"
