"""What a map says of records that are found in the service by name, or by a filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from wosdk_async.jobs.errors import ImportMapError, nearest
from wosdk_async.jobs.mapping.compiler import compiled_value, field_of, limit_of, table_of, template_of
from wosdk_async.jobs.mapping.convert import OBJECTS
from wosdk_async.jobs.mapping.values import NAME, NONE, LengthLimit, ObjectNode, Template, Value
from wosdk_async.model import Record, entity_class, index
from wosdk_async.model.metadata import Wire

__all__ = ["Filter", "Name", "ReferenceSpec", "reference_of"]

_KEYS = ("entity", "by", "from", "truncate", "where", "if_missing", "create")
_POLICIES = ("fail", "create")


@attrs.frozen
class Filter:
    """One field that a record must equal."""

    name: str
    meta: Wire
    value: Value


@attrs.frozen
class Name:
    """A name as the map takes it from a row: ``text`` is what is sent, ``key`` what is compared."""

    text: str
    raw: str
    key: str
    warnings: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class ReferenceSpec:
    """One ``[reference.<name>]``.

    Without ``template`` it means one record for all rows: the first that passes the filters.
    """

    name: str
    entity: type[Record]
    filters: tuple[Filter, ...] = ()
    by: str | None = None
    template: Template | None = None
    limit: LengthLimit
    create: ObjectNode | None = None

    @property
    def columns(self) -> frozenset[str]:
        """The columns that it reads, those of a new record included."""
        own = self.template.columns if self.template else NONE
        return (own | (self.create.columns if self.create else NONE)) - {NAME}

    @property
    def needs(self) -> frozenset[str]:
        """The references that must be known before this one."""
        filters = NONE.union(*(each.value.references for each in self.filters))
        return filters | (self.create.references if self.create else NONE)

    @property
    def filtered(self) -> str:
        """The filters in words."""
        parts = (f"{each.name} = {_plain(each.value)}" for each in self.filters)
        return f" with {', '.join(parts)}" if self.filters else ""

    def name_in(self, cells: Mapping[str, str]) -> Name | None:
        """The name that a row gives, without outer blanks and within the limit; None when it gives none.

        Raises RowError when it is too long and may not be cut.
        """
        if self.template is None:
            return Name("", "", "")
        raw = self.template.fill(cells) or ""
        if not raw.strip():
            return None
        warnings: list[str] = []
        text = self.limit.fit(raw.strip(), warnings).rstrip()
        return Name(text, raw, text.casefold(), tuple(warnings))


def reference_of(name: str, table: object, path: str) -> ReferenceSpec:
    """Read one table. Raises ImportMapError that names the key."""
    if not isinstance(table, Mapping):
        raise ImportMapError(f"{path} takes a table, not {table!r}")
    for key in table:
        if key not in _KEYS:
            raise ImportMapError(
                f"{path}: {key!r} is unknown here{nearest(key, _KEYS) or '.'} It takes {', '.join(_KEYS)}"
            )
    entity = _entity(table.get("entity"), path)
    if ("by" in table) != ("from" in table):
        raise ImportMapError(
            f"{path} needs both by (the field to compare) and from (the text to look for), or neither"
        )
    by, meta = _compared(entity, table, path)
    template = template_of(table["from"], f"{path}.from") if by else None
    if template is not None and NAME in template.columns:
        raise ImportMapError(f"{path}.from: {{}} stands for the name itself; name a column, as in {{column}}")
    return ReferenceSpec(
        name=name,
        entity=entity,
        filters=tuple(_filter(entity, key, raw, path) for key, raw in _where(table, path).items()),
        by=by,
        template=template,
        limit=limit_of(meta, table.get("truncate", False), f"{name} name")
        if by
        else LengthLimit(path, None, False, False),
        create=_create(entity, table, by, path),
    )


def _entity(name: object, path: str) -> type[Record]:
    found = entity_class(name) if isinstance(name, str) else None
    if found is None or "id" not in found.__wire__:
        hint = nearest(str(name), index.ENTITIES) or "; see docs/import.md"
        raise ImportMapError(f"{path}.entity: the service has no entity {name!r}{hint}")
    return found


def _compared(entity: type[Record], table: Mapping[str, Any], path: str) -> tuple[str | None, Wire]:
    if "by" not in table:
        return None, {}
    name, meta = field_of(entity, str(table["by"]), f"{path}.by")
    if meta["type"] != "string":
        raise ImportMapError(f"{path}.by: names are texts, and {name} is none; name a text field")
    return name, meta


def _where(table: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    where = table.get("where", {})
    if not isinstance(where, Mapping):
        raise ImportMapError(f"{path}.where takes a table such as {{ is_offline = false }}, not {where!r}")
    return where


def _filter(entity: type[Record], key: str, raw: object, path: str) -> Filter:
    place = f"{path}.where.{key}"
    name, meta = field_of(entity, key, place)
    value = compiled_value(meta, raw, place)
    plain = meta["type"] not in OBJECTS or isinstance(raw, str)
    if meta.get("many") or not plain or value.columns:
        raise ImportMapError(f"{place} takes a fixed value or a reference, not {raw!r}")
    return Filter(name, meta, value)


def _create(entity: type[Record], table: Mapping[str, Any], by: str | None, path: str) -> ObjectNode | None:
    policy = table.get("if_missing", "fail")
    if policy not in _POLICIES:
        raise ImportMapError(f'{path}.if_missing is "fail" or "create", not {policy!r}')
    if policy == "fail":
        if "create" in table:
            raise ImportMapError(f'{path}.create is never used; set if_missing = "create", or delete it')
        return None
    if by is None:
        raise ImportMapError(f"{path}: only what is found by name can be created; add by and from")
    branch = table_of(entity, table.get("create", {}), f"{path}.create")
    if by in branch.fields:
        raise ImportMapError(f"{path}.create.{by} is the name itself, which is filled in; delete it")
    return branch


def _plain(value: Value) -> str:
    content = getattr(value, "content", None)
    if content is None:
        return f"@{next(iter(value.references), '')}"
    return str(content).lower() if isinstance(content, bool) else str(content)
