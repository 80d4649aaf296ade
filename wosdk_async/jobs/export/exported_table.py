"""The table that an export writes: its rows, their record batches, and the format of its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import attrs

from wosdk_async.company import Company
from wosdk_async.formula_guard import FormulaGuard
from wosdk_async.jobs.export.exported_rows import ExportedRows
from wosdk_async.jobs.export.options import ExportOptions
from wosdk_async.jobs.export.plan import ExportPlan, described_columns
from wosdk_async.jobs.export.table_writers import TableFile, format_named, require_csv, require_packages
from wosdk_async.jobs.request import company_identity

__all__ = ["ExportedTable"]


@attrs.frozen(kw_only=True)
class ExportedTable:
    """Rows of an export, and the form in which they are written."""

    rows: ExportedRows
    builder: Any
    """Maker of record batches."""
    format: str
    options: ExportOptions
    guard: FormulaGuard = attrs.field(
        default=attrs.Factory(lambda self: FormulaGuard(raw=self.options.csv_raw), takes_self=True)
    )
    """Counts the texts of a CSV that got an apostrophe."""

    @classmethod
    def of(
        cls, rows: ExportedRows, output: Path, options: ExportOptions, *, default: str | None = None
    ) -> Self:
        """Return the table of an output; ``default`` is the format of a name without a suffix.

        Raises:
            ExportError: the format is not known, an option is not for it, or a package is missing.
        """
        format = format_named(output, options.format, default)
        require_csv(format, options.csv_for_excel, options.csv_raw)
        builder = rows.builder()
        require_packages(format)
        return cls(rows=rows, builder=builder, format=format, options=options)

    @property
    def name(self) -> str:
        """Name of the entity."""
        return self.rows.plan.name

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows.columns)

    def plan(self, company: Company) -> ExportPlan:
        """Return what is read from a Company and written, as it is stored."""
        return ExportPlan(
            entity=self.name,
            company=company_identity(company),
            expression=self.rows.plan.expression(),
            columns=described_columns(self.rows.columns),
            format=self.format,
            limit=self.options.limit,
            csv_for_excel=self.options.csv_for_excel,
            csv_raw=self.options.csv_raw,
        )

    def file(self, path: Path) -> TableFile:
        """Return the file that the table is written to."""
        return TableFile(
            path=path,
            format=self.format,
            schema=self.builder.schema,
            json_columns=self.rows.json_columns,
            title=self.name,
            csv_for_excel=self.options.csv_for_excel,
            guard=self.guard,
        )
