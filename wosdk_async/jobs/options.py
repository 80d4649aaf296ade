"""Import options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.options.checks import number, switch
from wosdk_async.text.remedies import Remedy

IfExists = Literal["fail", "skip"]
ExcelSeparator = Literal["comma", "semicolon"]

_STOP_AFTER = re.compile(r"\s*(\d{1,9})\s*(%?)\s*")


@attrs.frozen
class StopAfter:
    """Limit on failed rows, as a ``count`` or a ``percentage`` of the file's rows."""

    count: int | None = None
    percentage: int | None = None

    @classmethod
    def parse(cls, text: str | int) -> Self:
        """Parse a limit such as ``20`` or ``5%``. Raise ConfigurationError if the limit is invalid."""
        found = _STOP_AFTER.fullmatch(str(text))
        value = int(found[1]) if found else 0
        if found is None or not value or (found[2] and value > 100):
            raise ConfigurationError(
                f"{text!r} is not a valid limit on failed rows; use a number of rows, or 1% to 100%",
                remedies=(Remedy.STOP_AFTER,),
            )
        return cls(percentage=value) if found[2] else cls(value)

    def rows(self, total: int) -> int:
        """Return the number of failed rows out of ``total`` at which the import stops."""
        if self.count is not None:
            return self.count
        return max(1, total * (self.percentage or 100) // 100)

    def __str__(self) -> str:
        return f"{self.count}" if self.count is not None else f"{self.percentage}%"


def _as_stop_after(value: Any) -> Any:
    return StopAfter.parse(value) if isinstance(value, str | int) else value


def _as_folder(value: str | Path) -> Path:
    path = Path(value)
    return path if path.name not in ("", "..") else path.resolve()  # numbered folders need a name


@attrs.frozen(kw_only=True)
class ImportOptions:
    """Options of an import. Raises ConfigurationError for an invalid value."""

    folder: Path | None = attrs.field(default=None, converter=attrs.converters.optional(_as_folder))
    """Job folder on a local disk (default: next to the file, as in ``requests.csv.job``)."""
    marker: str | None = None
    """Field that carries each row's key, such as ``work_order.po_number`` (default: the map's marker). If the
    map writes nothing to this field, the key is ``{job}-{row}``, with the ledger's row number."""
    if_exists: IfExists = attrs.field(default="fail", validator=attrs.validators.in_(("fail", "skip")))
    """Whether a row fails or is skipped if its key exists in the Company before the row's first attempt."""
    concurrency: int = number(32, "a number of calls, 1 or more", low=1, whole=True)
    """Maximum concurrent calls. After a kill, at most ``2 * concurrency`` rows are in doubt; with workers, at
    most ``16 * concurrency`` or 2,000, whichever is larger."""
    lease: float = number(30.0, "seconds above 0", above=True)
    """Duration of a grant's lease in seconds; the lease starts at the worker's last report before the grant.
    A row may take up to the Company's ``deadline`` or, without a deadline, two thirds of the lease."""
    skew: float = number(1.0, "seconds, 0 or more")
    """Seconds to wait after a lost worker's lease has expired, to allow for clock drift."""
    again: bool = switch(False)
    """Whether to start a new ledger in a new folder and send all rows again."""
    new_rows: bool = switch(False)
    """Whether unknown rows count as new rows, even if sent rows are missing from the file."""
    retry_refused: bool = switch(False)
    """Whether to retry refused rows even if neither the rows nor the map have changed."""
    retry_undone: bool = switch(False)
    """Whether to retry rows whose records were undone."""
    resume: bool = switch(False)
    """Whether to require an existing ledger in ``folder`` instead of starting a new one."""
    details: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    """Further data to store in a new job's plan, such as the command that started the job."""
    stop_after: StopAfter | None = attrs.field(default=None, converter=_as_stop_after)
    """Number or percentage of failed rows at which the import stops, such as ``20`` or ``"5%"``."""
    stop_after_doubt: int | None = number(100, "a number of rows, 1 or more", low=1, whole=True, none=True)
    """Number of rows in doubt at which the import stops; None for no limit."""
    csv_for_excel: ExcelSeparator | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, "comma", "semicolon"))
    )
    """Separator that lets Excel open ``results.csv`` and other outputs; None writes plain CSV."""

    def __attrs_post_init__(self) -> None:
        if self.again and self.resume:
            raise ConfigurationError(
                "again=True starts a new ledger, and resume=True requires an existing one",
                remedies=(Remedy.LEAVE_OUT,),
                option="again",
            )

    def changed(self) -> dict[str, Any]:
        """Return the options (except ``details``) that differ from their defaults, as plain data."""
        fields = {each.name: each.default for each in attrs.fields(type(self)) if each.name != "details"}
        values = {name: getattr(self, name) for name in fields}
        return {
            name: value if isinstance(value, bool | int | float) else str(value)
            for name, value in values.items()
            if value != fields[name]
        }
