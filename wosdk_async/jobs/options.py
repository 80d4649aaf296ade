"""Options of an import, each with its unit and default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.options.checks import number, switch
from wosdk_async.text.remedies import Remedy

__all__ = ["ExcelSeparator", "ImportOptions", "StopAfter"]

IfExists = Literal["fail", "skip"]
ExcelSeparator = Literal["comma", "semicolon"]

_STOP_AFTER = re.compile(r"\s*(\d{1,9})\s*(%?)\s*")


@attrs.frozen
class StopAfter:
    """Maximum rows that may fail: a ``count``, or a ``percentage`` of the rows of the file."""

    count: int | None = None
    percentage: int | None = None

    @classmethod
    def parse(cls, text: str | int) -> Self:
        """Return the limit in a text such as ``20`` or ``5%``. Raise ConfigurationError for any other."""
        found = _STOP_AFTER.fullmatch(str(text))
        value = int(found[1]) if found else 0
        if found is None or not value or (found[2] and value > 100):
            raise ConfigurationError(
                f"{text!r} is not a limit of failed rows; write a number of rows, or 1% to 100%",
                remedies=(Remedy.STOP_AFTER,),
            )
        return cls(percentage=value) if found[2] else cls(value)

    def rows(self, total: int) -> int:
        """Return how many of ``total`` rows may fail before the import stops."""
        if self.count is not None:
            return self.count
        return max(1, total * (self.percentage or 100) // 100)

    def __str__(self) -> str:
        return f"{self.count}" if self.count is not None else f"{self.percentage}%"


def _as_stop_after(value: Any) -> Any:
    return StopAfter.parse(value) if isinstance(value, str | int) else value


@attrs.frozen(kw_only=True)
class ImportOptions:
    """Options of an import. Raises ConfigurationError for an invalid value."""

    folder: Path | None = attrs.field(default=None, converter=attrs.converters.optional(Path))
    """The job folder, on a local disk (default: beside the file, ``requests.csv.job``)."""
    marker: str | None = None
    """Field that carries the key of each row, such as ``work_order.po_number`` (default: the map's, if any).
    A field that the map does not fill gets ``{job}-{row}``, with the row number of the ledger."""
    if_exists: IfExists = attrs.field(default="fail", validator=attrs.validators.in_(("fail", "skip")))
    """Whether a row whose key the Company has before the first attempt fails or is skipped."""
    limit: int = number(32, "a number of calls, 1 or more", low=1, whole=True)
    """Maximum concurrent calls. After a kill at most twice as many rows are in doubt; with workers sixteen
    times as many, or 2,000."""
    lease: float = number(30.0, "seconds above 0", above=True)
    """With workers: seconds for which a worker may send granted rows, from its last report before the grant.
    A row may take as long as the Company's ``deadline``, or two thirds of the lease if it has none."""
    skew: float = number(1.0, "seconds, 0 or more")
    """With workers: seconds to wait after a lost worker's lease has expired, since clocks differ in speed."""
    again: bool = switch(False)
    """Whether to start a new ledger in the next folder, and send all rows once more."""
    new_rows: bool = switch(False)
    """Whether rows that are not in the ledger are new, although others that were sent are gone."""
    retry_refused: bool = switch(False)
    """Whether to retry rows that the service refused, although neither they nor the map have changed."""
    retry_undone: bool = switch(False)
    """Whether to retry rows whose records were undone."""
    resume: bool = switch(False)
    """Whether to use only the ledger in ``folder``, and start no new one."""
    details: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    """Further data for the plan of a new job, such as the command that started it."""
    stop_after: StopAfter | None = attrs.field(default=None, converter=_as_stop_after)
    """Maximum rows that may fail before the import stops: a number, or a percentage such as ``"5%"``."""
    stop_after_doubt: int | None = number(100, "a number of rows, 1 or more", low=1, whole=True, none=True)
    """Maximum rows that may be in doubt before the import stops; None for no limit."""
    csv_for_excel: ExcelSeparator | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, "comma", "semicolon"))
    )
    """Separator of ``results.csv`` and the like for Excel (default: commas)."""

    def changed(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, as plain data without ``details``."""
        fields = {each.name: each.default for each in attrs.fields(type(self)) if each.name != "details"}
        values = {name: getattr(self, name) for name in fields}
        return {
            name: value if isinstance(value, bool | int | float) else str(value)
            for name, value in values.items()
            if value != fields[name]
        }
