"""Dialects: where a running release differs from the specification, one switch for each difference.

Other modules never ask which dialect they serve, only what a switch says.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import attrs

__all__ = ["SPEC", "Dialect", "NumberFormat", "dialect_of"]

_WHOLE_SECONDS = len("2024-05-14T13:15:07")
_MAX_DIGITS = 18  # an amount with more digits than any currency needs is left as it is


@attrs.frozen(eq=False)
class NumberFormat:
    """Text form of times and amounts.

    Args:
        utc_mark: the end of a time in UTC.
        cuts_zeros: whether the fraction of a second loses its last zeros; else it has seven digits.
        decimals: digits after the point of an amount; None leaves the amount as it was sent.
        rate_decimals: the least number of digits after the point of a labor code's rate.
    """

    utc_mark: str = "Z"
    cuts_zeros: bool = False
    decimals: int | None = None
    rate_decimals: int = 0

    def local(self, text: str) -> str:
        """Format a stored local time, which has no fraction digits or seven."""
        return text.rstrip("0") if self.cuts_zeros and len(text) > _WHOLE_SECONDS else text

    def utc(self, text: str) -> str:
        """Format a stored time in UTC."""
        return self.local(text) + self.utc_mark

    def money(self, amount: dict[str, Any]) -> dict[str, Any]:
        """Round an amount to the scale of this format."""
        value = Decimal(amount["Value"])
        if self.decimals is None or value.adjusted() > _MAX_DIGITS - 4:
            return amount
        scale = Decimal(1).scaleb(-self.decimals)
        return {**amount, "Value": value.quantize(scale, ROUND_HALF_UP)}

    def rate(self, value: int | Decimal) -> int | Decimal:
        """Give a labor code's rate the decimals that it lacks."""
        known = Decimal(value)
        digits = -int(known.as_tuple().exponent)
        if known.adjusted() > _MAX_DIGITS or digits >= self.rate_decimals:
            return value
        return known.quantize(Decimal(1).scaleb(-self.rate_decimals))


_AS_STORED = NumberFormat()


@attrs.frozen(eq=False, kw_only=True)
class Dialect:
    """One way in which the service speaks; the defaults are those of the specification."""

    name: str
    opens_created: bool = True
    """Whether a created order or space comes with its references opened and its lists empty (spec 2.3); else
    as a default read shows it (facts 5, Shape of a result; facts 12 rows 2 and 11)."""
    marks_records: bool = True
    """Whether a read shows ``IsNew`` and ``PerformDeletion`` (spec 2.1; else facts 12 row 2)."""
    shows_all_times: bool = True
    """Whether a read shows ``AcknowledgeByUtc`` and ``DtUtcOnSiteBy`` (spec 2.3); else only a creation does
    (facts 3.5)."""
    zero_is_null: frozenset[tuple[str, str]] = frozenset()
    """Integers of entity types that are stored as null where they show 0 (facts 3.4), as a query tells."""
    entities_envelope: bool = True
    """Whether a retrieve has ``Entities`` beside ``Data`` (spec 4.9; else facts 12 row 5)."""
    spec_fields: bool = True
    """Whether properties exist that only the specification names: ``BillToType``, ``IsRestricted``, a Note's
    ``Body`` and others (spec 2; else facts 12 rows 6, 7, 8 and 12)."""
    spec_entities: bool = True
    """Whether ``Priority``, ``SubType`` and ``Asset`` name entity types (spec 2.2, 2.8; else facts 3.9 and
    12 row 6)."""
    spec_paths: bool = True
    """Whether the path ``/cmd/SendWorkOrder`` exists beside the full name (spec 4.6; else facts 12 row 4)."""
    contactid_is_requestor: bool = True
    """Whether ``Contactid`` of a creation becomes the requestor (spec 4.3); else it is dropped (facts 12
    row 3)."""
    update_shows_version: bool = False
    """Whether the response to an update has ``ConcurrencyId`` (facts 12 row 15); else only type and id
    (spec 4.9)."""
    errors_show_request_id: bool = False
    """Whether an error has the ``RequestId`` that was sent (facts 12 row 9); else three members (spec 7)."""
    explains: bool = True
    """Whether a refusal adds to a recorded text what a reader needs; else it is that text alone (facts 6)."""
    refuses_missing_delete: bool = True
    """Whether the delete of a record that never existed is refused unless a header says otherwise (facts
    3.8); else it succeeds like any other (facts 3.4)."""
    soap_url: bool = False
    """Whether discovery without ``ApiType`` finds the SOAP address (facts 2); else the REST one (spec 4.1
    knows no other)."""
    tick: int = 1
    """Step of the clock behind stored times, in units of 100 ns: it gives seven fraction digits, or the
    two of records read back (facts 3.5)."""
    stored: NumberFormat = _AS_STORED
    """Format of a record that is read back (spec 2.1, facts 3.3 and 3.5)."""
    fresh: NumberFormat = _AS_STORED
    """Format of a record that the same call made, and of a time that it set (spec 2.1, facts 3.3 and
    3.5)."""


SPEC = Dialect(name="spec")
RECORDED = Dialect(
    name="recorded",
    opens_created=False,
    marks_records=False,
    shows_all_times=False,
    zero_is_null=frozenset({("Employee", "LabelId")}),
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
    """Return the dialect with this name.

    Raises:
        ValueError: there is no such dialect; the text names those that exist.
    """
    if name not in DIALECTS:
        raise ValueError(f"There is no dialect {name!r}. Name one of: {', '.join(DIALECTS)}.")
    return DIALECTS[name]
