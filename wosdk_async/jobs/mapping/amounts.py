"""Amounts of money in a map: an amount is never sent in another currency than its file shows."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import attrs

from wosdk_async.jobs.errors import ImportMapError, RowError
from wosdk_async.jobs.mapping.nodes import ConstantNode, Node, ObjectNode, RowContext, TextNode
from wosdk_async.jobs.sources.rows import TypedCell
from wosdk_async.model import registry

__all__ = ["with_currency"]

_CODES = {
    "€": "EUR", "£": "GBP EGP LBP", "¥": "JPY CNY", "￥": "JPY CNY", "円": "JPY", "元": "CNY", "₩": "KRW",
    "$": "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BMD BND FJD SBD",
    "₹": "INR", "₽": "RUB", "₺": "TRY", "₪": "ILS", "฿": "THB", "₫": "VND", "₱": "PHP", "₦": "NGN",
    "₡": "CRC", "₸": "KZT", "₼": "AZN",
    "US$": "USD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD",
    "S$": "SGD", "NT$": "TWD", "R$": "BRL", "MX$": "MXN", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "Fr.": "CHF",
    "SFr.": "CHF", "kr": "SEK NOK DKK", "kr.": "DKK SEK NOK", "lei": "RON",
    "Euro": "EUR", "RD$": "DOP", "C$": "CAD NIO", "TT$": "TTD", "J$": "JMD", "EC$": "XCD", "BZ$": "BZD",
}  # fmt: skip
"""The currencies that each sign can mean; other signs are not checked."""
_BY_SIGN = {sign.casefold(): codes.split() for sign, codes in _CODES.items()}


def _meanings(sign: str) -> Sequence[str]:
    """Return the currencies that a sign or code stands for; none if it is unknown."""
    code = sign.strip().upper()
    known = code in registry.resolve("CurrencyType").__members__
    return [code] if known else _BY_SIGN.get(sign.strip().casefold(), ())


def _is_sign(unit: str) -> bool:
    return any(unicodedata.category(char) == "Sc" for char in unit)


def with_currency(node: ObjectNode, raw: Mapping[str, Any], path: str) -> ObjectNode:
    """Return a node that refuses cells in another currency than the map states.

    Raises:
        ImportMapError: ``strip`` removes currency signs, and the map states no currency or another one.
    """
    value, currency = node.fields.get("value"), node.fields.get("currency_type_id")
    if not isinstance(value, TextNode):
        return node
    table = next(each for name, each in raw.items() if name.casefold() == "value")
    units = (table.get("strip") or ()) if isinstance(table, Mapping) else ()
    signs = sorted({each.strip() for each in units if _meanings(each) or _is_sign(each)}, key=len)[::-1]
    stated = str(currency.content) if isinstance(currency, ConstantNode) else None
    is_unclear = len(list(filter(_is_sign, signs))) > 1 and not all(map(_meanings, signs))
    if signs and (
        currency is None
        or (stated is not None and (is_unclear or not all(_may_mean(each, stated) for each in signs)))
    ):
        raise ImportMapError(
            f"{path}.value: strip removes {', '.join(sorted(signs))}, so the map must state the currency: "
            f'{path.rpartition(".")[2]}.currency_type_id = "EUR", or a column of it'
        )
    known = {each.name: getattr(value, each.name) for each in attrs.fields(TextNode)}
    amount = _AmountNode(**known, currency=currency, signs=signs)
    return attrs.evolve(node, fields={**node.fields, "value": amount})


@attrs.frozen
class _AmountNode(TextNode):
    """The number of an amount."""

    currency: Node | None = attrs.field(default=None, kw_only=True)
    """Node of the currency; None if the map has none."""
    signs: Sequence[str] = attrs.field(default=(), kw_only=True)
    """Currency signs that are stripped from the number, the longest first."""

    def fill(self, context: RowContext) -> Any:
        """Return the number. Raise RowError if its cell shows another currency, or the row states none."""
        if not self.template.is_one_cell:
            for cell in self.template.pieces(context.cells):
                if isinstance(cell, TypedCell) and cell.currency:
                    self._note_currency(cell, context)
        value = TextNode.fill(self, context)
        if value is not None and self.currency is not None and self.currency.columns:
            self._require_currency(self.currency, context)
        return value

    def _require_currency(self, currency: Node, context: RowContext) -> None:
        """Raise RowError if the row states no currency, or not that of a sign beside the number."""
        try:
            stated = currency.fill(context)
        except RowError:  # its own field tells it
            return
        if stated is None:
            columns = ", ".join(f"{{{each}}}" for each in sorted(currency.columns))
            raise RowError(
                f"{self.path} states no currency ({self.shown_columns}): fill in {columns}, or state "
                "it in the map"
            )
        text = str(self.template.fill(context.cells)).strip().lstrip("+-").strip().casefold()
        for is_beside in (text.startswith, text.endswith):
            sign = next((each for each in self.signs if is_beside(each.casefold())), None)
            if sign is not None and not _may_mean(sign, str(stated)):
                raise RowError(
                    f"{self.path} has the currency sign {sign!r}, but the row states {str(stated)!r}; "
                    f"correct one of them ({self.shown_columns})"
                )

    def _note_currency(self, cell: TypedCell, context: RowContext) -> None:
        """Raise RowError unless the map states the currency of a cell."""
        if cell.currency != cell.shown and not _meanings(cell.shown):
            raise RowError(
                f"{self.path}: the format of the cell shows {cell.shown!r}, which is no currency; enter "
                f"the full amount, and format it as a number or currency ({self.shown_columns})"
            )
        stated: Any = None
        if self.currency is not None:
            with suppress(RowError):  # its own field tells it
                stated = self.currency.fill(context)
        name = f"{self.path.rpartition('.')[0].rpartition('.')[2]}.currency_type_id"
        shown = f"{self.path}: the format of the cell shows the currency {cell.shown!r}, but the map states"
        if stated is None:
            raise RowError(f'{shown} none; add {name} = "EUR", or a column of it ({self.shown_columns})')
        if not _may_mean(cell.shown, str(stated)):
            raise RowError(
                f"{shown} {str(stated)!r}; correct {name} in the map, or the sheet ({self.shown_columns})"
            )


def _may_mean(sign: str, code: str) -> bool:
    """Return whether a sign or code may stand for a currency."""
    meanings = _meanings(sign)
    return not meanings or code in meanings
