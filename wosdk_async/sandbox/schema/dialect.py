"""Dialects, with one switch for each difference between a running release and the specification.

Other modules use only the switches, and never check which dialect is active.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import attrs

from wosdk_async.sandbox.errors import SettingError

_MAX_DIGITS = 18  # amounts with more digits are left unchanged
_WHOLE = len("2024-05-14T13:15:07")  # a time without a fraction


@attrs.frozen(eq=False)
class NumberFormat:
    """Text format of times and amounts."""

    utc_mark: str = "Z"
    fraction: int = 7  # maximum fraction digits; fewer than seven also drops trailing zeros
    decimals: int | None = None  # decimal places of amounts; None leaves amounts as sent
    rate_decimals: int = 0  # minimum decimal places of labor code rates

    def local(self, text: str) -> str:
        """Format a stored local time, which has either no fractional digits or seven."""
        if self.fraction == 7 or len(text) == _WHOLE:
            return text
        return text[: _WHOLE + 1 + self.fraction].rstrip("0").rstrip(".")

    def cut(self, text: str) -> str:
        """Truncate a stored time to the digits that `local` shows, keeping the stored format."""
        shown = self.local(text)
        return shown if len(shown) == _WHOLE else shown.ljust(_WHOLE + 8, "0")

    def utc(self, text: str) -> str:
        """Format a stored UTC time."""
        return self.local(text) + self.utc_mark

    def money(self, amount: dict[str, Any]) -> dict[str, Any]:
        """Round an amount to ``decimals`` places."""
        value = Decimal(amount["Value"])
        if self.decimals is None or value.adjusted() > _MAX_DIGITS - 4:
            return amount
        scale = Decimal(1).scaleb(-self.decimals)
        return {**amount, "Value": value.quantize(scale, ROUND_HALF_UP)}

    def rate(self, value: int | Decimal) -> int | Decimal:
        """Pad a labor code rate with zeros to ``rate_decimals`` places."""
        number = Decimal(value)
        digits = -int(number.as_tuple().exponent)
        if number.adjusted() > _MAX_DIGITS or digits >= self.rate_decimals:
            return value
        return number.quantize(Decimal(1).scaleb(-self.rate_decimals))


_AS_STORED = NumberFormat()


@attrs.frozen(eq=False, kw_only=True)
class Dialect:
    """One variant of the service's behaviour; the defaults follow the specification."""

    name: str
    opens_created: bool = True
    """Whether a created order or space is returned with references expanded and lists empty (spec 2.3);
    otherwise it is returned as in a default read (facts 5, Shape of a result; facts 12 rows 2 and 11)."""
    marks_records: bool = True
    """Whether reads return ``IsNew`` and ``PerformDeletion`` (spec 2.1; else facts 12 row 2)."""
    shows_all_times: bool = True
    """Whether reads return ``AcknowledgeByUtc`` and ``DtUtcOnSiteBy`` (spec 2.3); otherwise only creations do
    (facts 3.5)."""
    zero_is_null: frozenset[tuple[str, str]] = frozenset()
    """Integer fields that the service shows as 0, although queries treat them as null (facts 3.4)."""
    entities_envelope: bool = True
    """Whether a retrieve returns ``Entities`` as well as ``Data`` (spec 4.9), and a default read of an asset
    returns its lists (spec 2.8); otherwise neither is the case (facts 3.4, 12 row 5)."""
    spec_fields: bool = True
    """Whether properties named only by the specification exist: ``BillToType``, ``IsRestricted``, a Note's
    ``Body`` and others (spec 2; else facts 12 rows 6, 7, 8 and 12)."""
    spec_entities: bool = True
    """Whether ``Priority``, ``SubType`` and ``Asset`` are entity types (spec 2.2, 2.8; else facts 3.9 and
    12 row 6)."""
    spec_paths: bool = True
    """Whether ``/cmd/SendWorkOrder`` exists in addition to the full name (spec 4.6; else facts 12 row 4)."""
    contactid_is_requestor: bool = True
    """Whether a create's ``Contactid`` becomes the requestor (spec 4.3); otherwise it is dropped (facts 12
    row 3)."""
    update_shows_version: bool = False
    """Whether update responses include ``ConcurrencyId`` (facts 12 row 15); otherwise they only have type and
    id (spec 4.9)."""
    errors_show_request_id: bool = False
    """Whether errors repeat the ``RequestId`` (facts 12 row 9); otherwise they have 3 members (spec 7)."""
    explains: bool = True
    """Whether refusals add an explanation to a recorded text; otherwise they only have the text (facts 6)."""
    refuses_missing_delete: bool = True
    """Whether deleting a record that never existed is refused if no header allows it (facts 3.8); otherwise
    the delete succeeds (facts 3.4)."""
    soap_url: bool = False
    """Whether discovery without ``ApiType`` returns the SOAP address (facts 2); otherwise the REST
    address (spec 4.1)."""
    stored: NumberFormat = _AS_STORED
    """Format of records that are read back (spec 2.1, facts 3.3 and 3.5)."""
    fresh: NumberFormat = _AS_STORED
    """Format of records created, and times set, by the current call (spec 2.1, facts 3.3 and 3.5)."""

    @property
    def tick(self) -> int:
        """Resolution of stored times, in units of 100 ns (facts 3.5)."""
        return int(10 ** (7 - self.stored.fraction))


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
    stored=NumberFormat(utc_mark="", fraction=2, decimals=4, rate_decimals=1),
    fresh=NumberFormat(decimals=2, rate_decimals=1),
)
DIALECTS = {dialect.name: dialect for dialect in (SPEC, RECORDED)}


def dialect_of(name: str) -> Dialect:
    """Return a dialect by name. Raises ValueError if it is unknown."""
    if name not in DIALECTS:
        raise SettingError(f"There is no dialect {name!r}. Use one of: {', '.join(DIALECTS)}.", "dialect")
    return DIALECTS[name]
