"""Amounts of money in a map: an amount is never sent in another currency than its file shows."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import attrs

from wosdk_async.jobs.errors import ImportMapError, RowError
from wosdk_async.jobs.mapping.nodes import Node, ObjectNode, RowContext, TextNode
from wosdk_async.jobs.sources.rows import TypedCell
from wosdk_async.model import registry

__all__ = ["require_currency", "with_currency"]

_CODES = {
    "€": "EUR", "£": "GBP EGP LBP", "¥": "JPY CNY", "￥": "JPY CNY", "円": "JPY", "元": "CNY", "₩": "KRW",
    "$": "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BMD BND FJD SBD",
    "₹": "INR", "₽": "RUB", "₺": "TRY", "₪": "ILS", "฿": "THB", "₫": "VND", "₱": "PHP", "₦": "NGN",
    "₡": "CRC", "₸": "KZT", "₼": "AZN",
    "US$": "USD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD",
    "S$": "SGD", "NT$": "TWD", "R$": "BRL", "MX$": "MXN", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "Fr.": "CHF",
    "SFr.": "CHF", "kr": "SEK NOK DKK", "kr.": "DKK SEK NOK", "lei": "RON",
}  # fmt: skip
"""The currencies that each sign can mean; other signs are not checked."""


def with_currency(node: ObjectNode) -> ObjectNode:
    """Return a node that refuses cells in another currency than the map states."""
    value = node.fields.get("value")
    if not isinstance(value, TextNode):
        return node
    known = {each.name: getattr(value, each.name) for each in attrs.fields(TextNode)}
    amount = _AmountNode(**known, currency=node.fields.get("currency_type_id"))
    return attrs.evolve(node, fields={**node.fields, "value": amount})


@attrs.frozen
class _AmountNode(TextNode):
    """The number of an amount."""

    currency: Node | None = attrs.field(default=None, kw_only=True)
    """Node of the currency; None if the map has none."""

    def fill(self, context: RowContext) -> Any:
        """Return the number. Raise RowError if the format of its cell shows another currency."""
        if not self.template.is_one_cell:
            for cell in self.template.pieces(context.cells):
                if isinstance(cell, TypedCell) and cell.currency:
                    self._note_currency(cell, context)
        return TextNode.fill(self, context)

    def _note_currency(self, cell: TypedCell, context: RowContext) -> None:
        """Raise RowError unless the map states the currency of a cell."""
        stated: Any = None
        if self.currency is not None:
            with suppress(RowError):  # its own field tells it
                stated = self.currency.fill(context)
        name = f"{self.path.rpartition('.')[0].rpartition('.')[2]}.currency_type_id"
        shown = (
            f"{self.path}: the format of the cell shows the currency {cell.currency!r}, but the map states"
        )
        if stated is None:
            raise RowError(f'{shown} none; add {name} = "EUR", or a column of it ({self.shown_columns})')
        if not _may_mean(cell.currency, str(stated)):
            raise RowError(
                f"{shown} {str(stated)!r}; correct {name} in the map, or the sheet ({self.shown_columns})"
            )


def _may_mean(sign: str, code: str) -> bool:
    """Return whether the sign or code in a format may stand for a currency."""
    if sign in registry.resolve("CurrencyType").__members__:
        return sign == code
    return code in _CODES.get(sign, code).split()


def require_currency(raw: Mapping[str, Any], path: str) -> None:
    """Raise ImportMapError if ``strip`` removes currency signs and the map does not state the currency."""
    by_name = {name.replace("_", "").casefold(): value for name, value in raw.items()}
    value, currency = by_name.get("value"), by_name.get("currencytypeid")
    units = value.get("strip") if isinstance(value, Mapping) else None
    texts = [each for each in units if isinstance(each, str)] if isinstance(units, list) else []
    signs = {each.strip() for each in texts if any(unicodedata.category(char) == "Sc" for char in each)}
    names = {each.strip() for each in texts if each.strip() in registry.resolve("CurrencyType").__members__}
    from_column = not isinstance(currency, str) or "{" in currency
    if (signs or names) and (currency is None or (max(len(signs), len(names)) > 1 and not from_column)):
        shown = ", ".join(sorted(signs | names))
        raise ImportMapError(
            f"{path}.value: strip removes {shown}, so the map must state the currency: "
            f'{path.rpartition(".")[2]}.currency_type_id = "EUR", or a column of it'
        )
