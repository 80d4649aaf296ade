"""Currency checks, which refuse to send an amount in a different currency than the file shows."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from wosdk_async.jobs.errors import ImportMapError, RowError
from wosdk_async.jobs.mapping.nodes import ConstantNode, Node, ObjectNode, RowContext, TextNode
from wosdk_async.jobs.sources.rows import TypedCell
from wosdk_async.model import registry

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
"""Possible currencies of each sign; other signs are not checked."""
_BY_SIGN = {sign.casefold(): codes.split() for sign, codes in _CODES.items()}


def _meanings(sign: str) -> Sequence[str]:
    """Return the possible currencies of a sign or code, or nothing if it is unknown."""
    code = sign.strip().upper()
    known = code in registry.resolve("CurrencyType").__members__
    return [code] if known else _BY_SIGN.get(sign.strip().casefold(), ())


def _is_sign(unit: str) -> bool:
    return any(unicodedata.category(char) == "Sc" for char in unit)


def with_currency(node: ObjectNode, raw: Mapping[str, Any], path: str) -> ObjectNode:
    """Add currency checks to an amount's node. Raise ImportMapError unless its currency fits ``strip``."""
    value, currency = node.fields.get("value"), node.fields.get("currency_type_id")
    if not isinstance(value, TextNode):
        return node
    table = next(each for name, each in raw.items() if name.casefold() == "value")
    units = (table.get("strip") or ()) if isinstance(table, Mapping) else ()
    signs = sorted({each.strip() for each in units if _meanings(each) or _is_sign(each)}, key=len)[::-1]
    fits = currency is not None
    if isinstance(currency, ConstantNode):
        is_unclear = len(list(filter(_is_sign, signs))) > 1 and not all(map(_meanings, signs))
        fits = not is_unclear and all(_may_mean(each, str(currency.content)) for each in signs)
    if signs and not fits:
        raise ImportMapError(
            f"{path}.value: strip removes {', '.join(sorted(signs))}, so the map must set that currency: "
            f'{path.rpartition(".")[2]}.currency_type_id = "EUR", or a currency column'
        )
    amount = _AmountNode(**attrs.asdict(value, recurse=False), currency=currency, signs=signs)
    return attrs.evolve(node, fields={**node.fields, "value": amount})


@attrs.frozen
class _AmountNode(TextNode):
    currency: Node | None = attrs.field(default=None, kw_only=True)
    """Node of the currency; None if the map sets no currency."""
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
        if cell.currency != cell.shown and not _meanings(cell.shown):
            raise RowError(
                f"{self.path}: the cell format shows {cell.shown!r}, which is not a currency; enter "
                f"the full amount, and format the cell as a number or currency ({self.shown_columns})"
            )


def _may_mean(sign: str, code: str) -> bool:
    """Return whether a sign can mean the currency ``code``; unknown signs can."""
    meanings = _meanings(sign)
    return not meanings or code in meanings
