"""Result of an export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs

__all__ = ["ExportSummary"]


@attrs.frozen(kw_only=True)
class ExportSummary:
    """Counts of an export, all its runs together."""

    path: Path | None
    """The file, or the folder of the new part; None when nothing had moved, so that there is no new part."""
    format: str
    rows: int
    earlier: int = 0
    """How many of the rows an earlier run of the export had read."""
    bytes: int = 0
    """Size of the file."""
    columns: int = 0
    seconds: float = 0.0
    """Time of this run."""
    guarded: int = 0
    """Texts of a CSV that got an apostrophe, so that no spreadsheet takes them for formulas."""
    clock_behind: float = 0.0
    """Seconds by which the service's clock was behind the last part; if not 0, the part has all records."""

    @property
    def rate(self) -> float:
        """Rows of this run in a second."""
        return (self.rows - self.earlier) / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        found = attrs.asdict(self) | {"path": None if self.path is None else str(self.path)}
        return found | {"seconds": round(self.seconds, 3), "rate": round(self.rate, 1)}
