"""Where a running release differs from the specification: each place is a switch with a name.

The other rooms never ask which dialect it is, only what a switch says.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import attrs

from wosdk_async.sandbox.service.times import Now

__all__ = ["DIALECTS", "RECORDED", "SPEC", "Dialect", "NumberFormat", "dialect_of"]

_WHOLE_SECONDS = len("2024-05-14T13:15:07")
_MAX_DIGITS = 18  # an amount longer than any currency needs is left as it is


@attrs.frozen(eq=False)
class NumberFormat:
    """How times and amounts are written.

    Args:
        utc_mark: what ends a time in UTC.
        cuts_zeros: whether a second's fraction ends in no zeros; else it has seven digits.
        decimals: digits after the point of an amount; None leaves it as it was sent.
        rate_decimals: the same of a labor code's rate, at least.
    """

    utc_mark: str = "Z"
    cuts_zeros: bool = False
    decimals: int | None = None
    rate_decimals: int = 0

    def local(self, text: str) -> str:
        """A stored time, which has no or seven fraction digits."""
        return text.rstrip("0") if self.cuts_zeros and len(text) > _WHOLE_SECONDS else text

    def utc(self, text: str) -> str:
        return self.local(text) + self.utc_mark

    def money(self, amount: dict[str, Any]) -> dict[str, Any]:
        """An amount with the zeros of its scale."""
        value = Decimal(amount["Value"])
        if self.decimals is None or value.adjusted() > _MAX_DIGITS - 4:
            return amount
        scale = Decimal(1).scaleb(-self.decimals)
        return {**amount, "Value": value.quantize(scale, ROUND_HALF_UP)}

    def rate(self, value: int | Decimal) -> int | Decimal:
        """A labor code's rate with the zeros of its scale."""
        known = Decimal(value)
        lacks = known.adjusted() <= _MAX_DIGITS and -int(known.as_tuple().exponent) < self.rate_decimals
        return known.quantize(Decimal(1).scaleb(-self.rate_decimals)) if lacks else value


_AS_STORED = NumberFormat()


@attrs.frozen(eq=False, kw_only=True)
class Dialect:
    """One way in which the service speaks. The defaults are the specification's."""

    name: str
    opens_created: bool = True
    """A created order or space comes with its references opened and its lists empty (spec 2.3), or as a
    default read shows it (facts 5, Shape of a result; facts 12 rows 2 and 11)."""
    marks_rows: bool = True
    """A read shows ``IsNew`` and ``PerformDeletion`` (spec 2.1), or never (facts 12 row 2)."""
    entities_envelope: bool = True
    """A retrieve answers ``Entities`` too (spec 4.9), or ``Data`` alone (facts 12 row 5)."""
    spec_fields: bool = True
    """Properties that only the specification names exist: ``BillToType``, ``IsRestricted``, a Note's
    ``Body`` and others (spec 2), or do not (facts 12 rows 6, 7, 8 and 12)."""
    spec_entities: bool = True
    """``Priority``, ``SubType`` and ``Asset`` name entity types (spec 2.2, 2.8), or do not (facts 3.9 and
    12 row 6)."""
    spec_paths: bool = True
    """``/cmd/SendWorkOrder`` exists (spec 4.6), or only ``SendWorkOrderCommand`` (facts 12 row 4)."""
    contactid_is_requestor: bool = True
    """``Contactid`` of a creation becomes the requestor (spec 4.3), or is dropped (facts 12 row 3)."""
    update_shows_version: bool = False
    """An update answers type and id (spec 4.9), or ``ConcurrencyId`` too (facts 12 row 15)."""
    errors_show_request_id: bool = False
    """An error has three members (spec 7), or ``RequestId`` when one was sent (facts 12 row 9)."""
    explains: bool = True
    """A refusal says what a reader needs beside a recorded text, or that text alone (facts 6)."""
    refuses_missing_delete: bool = True
    """Deleting a row that never was is refused unless a header says otherwise (facts 3.8), or
    answered like any other (facts 3.4)."""
    soap_url: bool = False
    """Discovery without ``ApiType`` finds the REST address (spec 4.1 knows no other), or the SOAP one
    (facts 2)."""
    tick: int = 1
    """The step of the clock behind stored times, in units of 100 ns: seven fraction digits, or the two of
    rows read back (facts 3.5)."""
    stored: NumberFormat = _AS_STORED
    """How a row is written that is read back (spec 2.1, facts 3.3 and 3.5)."""
    fresh: NumberFormat = _AS_STORED
    """How a row is written that the same call made, and a time that it set (the same)."""

    def now(self, clock: int) -> Now:
        """The moment of a call, from nanoseconds since 1970."""
        ticks = clock // 100
        return Now(ticks - ticks % self.tick)


SPEC = Dialect(name="spec")
RECORDED = Dialect(
    name="recorded",
    opens_created=False,
    marks_rows=False,
    entities_envelope=False,
    spec_fields=False,
    spec_entities=False,
    spec_paths=False,
    contactid_is_requestor=False,
    update_shows_version=True,
    errors_show_request_id=True,
    explains=False,
    refuses_missing_delete=False,
    soap_url=True,
    tick=100_000,
    stored=NumberFormat(utc_mark="", cuts_zeros=True, decimals=4, rate_decimals=1),
    fresh=NumberFormat(decimals=2, rate_decimals=1),
)
DIALECTS = {dialect.name: dialect for dialect in (SPEC, RECORDED)}


def dialect_of(name: str) -> Dialect:
    """The dialect called so.

    Raises:
        ValueError: there is none; the text names those that are.
    """
    if name not in DIALECTS:
        raise ValueError(f"There is no dialect {name!r}. Name one of: {', '.join(DIALECTS)}.")
    return DIALECTS[name]
