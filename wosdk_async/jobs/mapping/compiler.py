"""Map compiler, which validates a map's tables against the model and compiles nodes and references.

Amount nodes reject rows whose currency sign contradicts the currency code.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from typing import Any

import attrs

from wosdk_async.codec.text_values import parse_value
from wosdk_async.jobs.errors import ImportMapError, MapMistakes, RowError
from wosdk_async.jobs.mapping.nodes import (
    OBJECTS,
    ConstantNode,
    ListNode,
    Node,
    ObjectNode,
    ReferenceNode,
    RowContext,
    TextNode,
)
from wosdk_async.jobs.mapping.references import Filter, ReferenceSpec
from wosdk_async.jobs.mapping.tables import KINDS, ReferenceTable, TextTable, checked_table, field_spelled
from wosdk_async.jobs.mapping.template import NAME, LengthLimit, Template
from wosdk_async.jobs.mapping.values import Parser, typed_values, value_parser, word_parser
from wosdk_async.jobs.sources.rows import TypedCell
from wosdk_async.model import Record, entity_class, index, registry
from wosdk_async.model.metadata import Wire
from wosdk_async.text.suggestions import suggestion


def compile_object(kind: type[Record], table: object, path: str) -> ObjectNode:
    """Compile a table of fields to a node for ``kind`` objects. Raise ImportMapError if it is invalid."""
    if not isinstance(table, Mapping):
        raise ImportMapError(f"{path} takes a table of {kind.__name__} fields, not {table!r}")
    nodes: dict[str, Node] = {}
    mistakes = MapMistakes()
    for key, raw in table.items():
        with mistakes.collect():
            name, meta = field_spelled(kind, key, f"{path}.{key}")
            if name in nodes:
                raise ImportMapError(f"{path}.{key}: {name!r} appears twice, in two spellings; remove one")
            nodes[name] = _node(meta, raw, f"{path}.{key}")
    mistakes.require_none()
    return ObjectNode(kind, nodes)


def _node(meta: Wire, raw: object, path: str) -> Node:
    if not meta.get("many"):
        return _single_node(meta, raw, path)
    if not isinstance(raw, list):
        raise ImportMapError(f"{path} is a list; start each element with [[{path}]]")
    return ListNode(tuple(_element(meta, each, f"{path}[{i}]") for i, each in enumerate(raw)))


def _element(meta: Wire, raw: object, path: str) -> Node:
    """Compile a list element. An element whose records are constants is sent even if otherwise empty."""
    node = _single_node(meta, raw, path)
    if not isinstance(node, ObjectNode):
        return node
    table = node.make.__wire__
    records = [each for name, each in node.fields.items() if table[name]["type"] == "ref"]
    is_fixed = bool(records) and not any(each.columns or each.references for each in records)
    return attrs.evolve(node, is_kept=is_fixed)


def _single_node(meta: Wire, raw: object, path: str) -> Node:
    if isinstance(raw, str) and raw.startswith("@") and meta["type"] in ("ref", "integer"):
        return ReferenceNode(path, raw[1:], meta["type"] == "integer", bool(meta.get("required")))
    if meta["type"] in OBJECTS and meta["of"]:
        if isinstance(raw, Mapping):
            _require_no_text(meta, raw, path)
            node = compile_object(registry.resolve(meta["of"]), raw, path)
            return _with_currency(node, raw, path) if meta["type"] == "money" else node
        form = 'a name such as "@customer", or ' if meta["type"] == "ref" else ""
        raise ImportMapError(
            f"{path} takes {form}a table of {meta['of']} fields, not {raw!r}{_remedy(meta, raw, path)}"
        )
    if isinstance(raw, str):
        return _text_node(meta, TextTable(text=raw), path)
    if isinstance(raw, Mapping):
        return _text_node(meta, checked_table(TextTable, raw, path), path)
    return ConstantNode(_constant(meta, raw, path))


def _require_no_text(meta: Wire, raw: Mapping[str, Any], path: str) -> None:
    """Raise ImportMapError if a record or an amount is written as ``{ text = ... }``."""
    fields = registry.resolve(meta["of"] or "").__wire__
    inner = next((each for each in ("value", "id") if each in fields), None)
    if "text" not in raw or "text" in fields or inner is None:
        return
    name = path.rpartition(".")[2]
    raise ImportMapError(
        f"{path} is {'an amount' if inner == 'value' else 'a record'}, which has no text options; set "
        f"them for its {inner}: {name}.{inner} = {{ text = {json.dumps(raw['text'], default=str)}, ... }}"
    )


def _remedy(meta: Wire, raw: object, path: str) -> str:
    fields = registry.resolve(meta["of"] or "").__wire__
    name, shown = path.rpartition(".")[2], json.dumps(raw, default=str)
    if "value" in fields:
        return f"; write {name}.value = {shown}"
    if meta["type"] == "ref" and "id" in fields and not isinstance(raw, (bool, float, list)):
        return f"; if {shown} is a record id, write {name} = {{ id = {shown} }}"
    return ""


def _text_node(meta: Wire, table: TextTable, path: str) -> Node:
    template = parsed_template(table.text, path)
    limit = _length_limit(meta, table.truncate, path)
    parse = value_parser(meta, table, path)
    clears = table.empty == "clear"
    if clears and (parse is not None or not template.columns):
        raise ImportMapError(
            f"{path}: empty = \"clear\" works only for string fields with columns; remove 'empty'"
        )
    blank: Any = "" if clears else None
    if table.values is not None:
        parse = _words(meta, table, parse, limit, path)
        blank = parse("") if "" in map(str.strip, table.values) else blank
    if template.columns:
        return TextNode(path, template, limit, parse, blank, typed_values(meta, table, parse))
    with _map_errors(path):
        text = limit.fit(template.fill({}) or "", [])
        return ConstantNode(text if parse is None else parse(text.strip()))


def _words(meta: Wire, table: TextTable, parse: Parser | None, limit: LengthLimit, path: str) -> Parser:
    values: Mapping[str, Any] = table.values or {}
    if not values or len({word.strip().casefold() for word in values}) < len(values):
        raise ImportMapError(
            f"{path}.values takes a table of distinct words (ignoring case) and their meanings, as in "
            'values = { "yes" = true, "no" = false }'
        )
    meanings = {}
    for word, value in values.items():
        with _map_errors(f"{path}.values.{word}"):
            if not isinstance(value, str):
                meanings[word] = _constant(meta, value, f"{path}.values.{word}")
            else:
                meanings[word] = limit.fit(value, []) if parse is None else parse(value)
    return word_parser(meanings)


@contextmanager
def _map_errors(path: str) -> Iterator[None]:
    try:
        yield
    except RowError as error:
        raise ImportMapError(error.message, **error.facts) from None
    except ValueError as error:
        raise ImportMapError(f"{path} {error}") from None


def parsed_template(source: str, path: str) -> Template:
    """Parse a template. Raise ImportMapError if it is invalid."""
    try:
        return Template.parse(source)
    except ValueError as error:
        raise ImportMapError(f"{path}: {error}") from None


def _length_limit(meta: Wire, truncate: bool, path: str) -> LengthLimit:
    length = meta.get("max_length")
    if truncate and length is None:
        raise ImportMapError(
            f"{path}: {meta['name']} has no known maximum length to truncate to; remove 'truncate'"
        )
    documented = meta.get("max_length_source") == "doc"
    # facts 3.4: the service strips trailing blanks of a work order's ContactName; assumed for other records
    cuts_blanks = meta["name"] == "ContactName"
    return LengthLimit(path, length, documented, truncate, cuts_blanks)


def _constant(meta: Wire, value: object, path: str) -> Any:
    """Convert a TOML value other than a string to the field's type."""
    kind = meta["type"]
    if isinstance(value, bool):
        if kind == "boolean":
            return value
    elif isinstance(value, int) and kind in ("integer", "number"):
        return value if kind == "integer" else Decimal(value)
    elif isinstance(value, float) and kind == "number":
        return Decimal(repr(value))
    elif isinstance(value, date) and kind.startswith("datetime"):
        with _map_errors(path):
            return parse_value(value.isoformat(), meta, lenient=True)
    shown = str(value).lower() if isinstance(value, bool) else repr(value)
    expected = "a name in quotes" if kind == "enum" else KINDS.get(kind, "a string")
    raise ImportMapError(f"{path} takes {expected}, not {shown}")


def compile_reference(name: str, table: ReferenceTable, path: str) -> ReferenceSpec:
    """Compile a ``[reference.<name>]`` table. Raise ImportMapError if it is invalid."""
    entity = entity_class(table.entity)
    if entity is None or "id" not in entity.__wire__:
        hint = suggestion(table.entity, index.ENTITIES) or "; see docs/import.md"
        raise ImportMapError(f"{path}.entity: the service has no entity {table.entity!r}{hint}")
    filters = tuple(_filter(entity, key, raw, f"{path}.where.{key}") for key, raw in table.where.items())
    if table.by is None or table.from_ is None:
        limit = LengthLimit(path, length=None, documented=False, truncate=False)
        return ReferenceSpec(name=name, entity=entity, filters=filters, limit=limit)
    by, meta = field_spelled(entity, table.by, f"{path}.by")
    if meta["type"] != "string":
        raise ImportMapError(
            f"{path}.by: {by} is not a string field; name a string field to look up records by"
        )
    template = parsed_template(table.from_, f"{path}.from")
    if NAME in template.columns:
        raise ImportMapError(
            f"{path}.from: {{}} is the looked-up name itself; name a column, as in {{column}}"
        )
    create = compile_object(entity, table.create or {}, f"{path}.create")
    if by in create.fields:
        raise ImportMapError(f"{path}.create.{by} is always set to the looked-up name; remove this line")
    return ReferenceSpec(
        name=name,
        entity=entity,
        filters=filters,
        by=by,
        template=template,
        limit=_length_limit(meta, table.truncate, f"{name} name"),
        create=create if table.if_missing == "create" else None,
        takes_first=table.ambiguous == "first",
    )


def _filter(entity: type[Record], key: str, raw: object, path: str) -> Filter:
    name, meta = field_spelled(entity, key, path)
    node = _node(meta, raw, path)
    is_value = meta["type"] not in OBJECTS or isinstance(raw, str)
    if meta.get("many") or not is_value or node.columns:
        raise ImportMapError(f"{path} takes a fixed value or a reference, not {raw!r}")
    return Filter(name, meta, node)


# --- currencies of amounts ------------------------------------------------------------------------

_CURRENCIES = {
    "€": "EUR", "£": "GBP EGP LBP", "¥": "JPY CNY", "￥": "JPY CNY", "円": "JPY", "元": "CNY", "₩": "KRW",
    "$": "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BMD BND FJD SBD",
    "₹": "INR", "₽": "RUB", "₺": "TRY", "₪": "ILS", "฿": "THB", "₫": "VND", "₱": "PHP", "₦": "NGN",
    "₡": "CRC", "₸": "KZT", "₼": "AZN",
    "US$": "USD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD",
    "S$": "SGD", "NT$": "TWD", "R$": "BRL", "MX$": "MXN", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "Fr.": "CHF",
    "SFr.": "CHF", "kr": "SEK NOK DKK", "kr.": "DKK SEK NOK", "lei": "RON",
    "Euro": "EUR", "RD$": "DOP", "C$": "CAD NIO", "TT$": "TTD", "J$": "JMD", "EC$": "XCD", "BZ$": "BZD",
}  # fmt: skip
"""Possible currencies of each sign; other signs are not checked."""
_BY_SIGN = {sign.casefold(): codes.split() for sign, codes in _CURRENCIES.items()}


def _possible_currencies(sign: str) -> Sequence[str]:
    code = sign.strip().upper()
    known = code in registry.resolve("CurrencyType").__members__
    return [code] if known else _BY_SIGN.get(sign.strip().casefold(), ())


def _is_sign(unit: str) -> bool:
    return any(unicodedata.category(char) == "Sc" for char in unit)


def _with_currency(node: ObjectNode, raw: Mapping[str, Any], path: str) -> ObjectNode:
    """Add currency checks to a node. Raise ImportMapError if the currency does not fit ``strip``."""
    value, currency = node.fields.get("value"), node.fields.get("currency_type_id")
    if not isinstance(value, TextNode):
        return node
    table = next(each for name, each in raw.items() if name.casefold() == "value")
    units = (table.get("strip") or ()) if isinstance(table, Mapping) else ()
    checked = {each.strip() for each in units if _possible_currencies(each) or _is_sign(each)}
    signs = sorted(checked, key=len)[::-1]
    fits = currency is not None
    if isinstance(currency, ConstantNode):
        is_unclear = len(list(filter(_is_sign, signs))) > 1 and not all(map(_possible_currencies, signs))
        fits = not is_unclear and all(_may_mean(each, str(currency.content)) for each in signs)
    if signs and not fits:
        raise ImportMapError(
            f"{path}.value: 'strip' removes {', '.join(sorted(signs))}, so the map must set that currency: "
            f'write {path.rpartition(".")[2]}.currency_type_id = "EUR", or fill this field from a column'
        )
    amount = _AmountNode(**attrs.asdict(value, recurse=False), currency=currency, signs=signs)
    return attrs.evolve(node, fields={**node.fields, "value": amount})


@attrs.frozen
class _AmountNode(TextNode):
    currency: Node | None = attrs.field(default=None, kw_only=True)
    signs: Sequence[str] = attrs.field(default=(), kw_only=True)
    """Currency signs to strip, longest first."""

    def fill(self, context: RowContext) -> Any:
        """Return the number. Raise RowError if the row's currency is missing or contradicts a sign."""
        value = TextNode.fill(self, context)
        if value is None:
            return None
        signs = list(self._signs(context))
        try:
            stated = None if self.currency is None else self.currency.fill(context)
        except RowError:  # the same error is reported for the currency field
            return value
        name = f"{self.path.rpartition('.')[0].rpartition('.')[2]}.currency_type_id"
        columns = sorted(self.currency.columns) if self.currency is not None else []
        if stated is None and (signs or columns):
            shown = f"shows the currency {signs[0]!r}, but " if signs else ""
            remedy = "".join(f"fill in {{{each}}}, or " for each in columns)
            raise RowError(
                f"{self.path} {shown}has no currency code ({self.shown_columns}); {remedy}set it in the map, "
                f'as in {name} = "EUR"'
            )
        for sign in signs:
            if not _may_mean(sign, str(stated)):
                raise RowError(
                    f"{self.path} shows the currency {sign!r}, but {name} is {str(stated)!r}; correct one of "
                    f"them ({self.shown_columns})"
                )
        return value

    def _signs(self, context: RowContext) -> Iterator[str]:
        """Yield the currency signs in the row's cell formats and next to its number."""
        for cell in self.template.pieces(context.cells):
            if isinstance(cell, TypedCell) and cell.currency:
                self._note_currency(cell, context)
                yield cell.shown
        text = str(self.template.fill(context.cells)).strip().lstrip("+-").strip().casefold()
        for is_next in (text.startswith, text.endswith):
            yield from [each for each in self.signs if is_next(each.casefold())][:1]

    def _note_currency(self, cell: TypedCell, _: RowContext) -> None:
        """Raise RowError if a cell format shows text other than a currency."""
        if cell.currency != cell.shown and not _possible_currencies(cell.shown):
            raise RowError(
                f"{self.path}: the cell format shows {cell.shown!r}, which is not a currency; enter "
                f"the full amount, and format the cell as a number or currency ({self.shown_columns})"
            )


def _may_mean(sign: str, code: str) -> bool:
    """Return whether a sign can mean the currency ``code``; an unknown sign can mean any."""
    meanings = _possible_currencies(sign)
    return not meanings or code in meanings
