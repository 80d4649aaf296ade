"""The rows of an export: which records are read, and the columns that they fill."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

import attrs

from wosdk_async.codec.json import TooManySymbolsError
from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError, NoAnswerError
from wosdk_async.jobs.exports.errors import export_package
from wosdk_async.jobs.exports.plan import ExportOptions, ExportPlan, described_columns
from wosdk_async.jobs.exports.range_files import IdRange, checked_id
from wosdk_async.jobs.exports.table_writers import TableFile, format_named, require_csv, require_packages
from wosdk_async.jobs.ledger.request import company_identity
from wosdk_async.model import Record, entity_class
from wosdk_async.protocol import calls
from wosdk_async.protocol.arguments import entity_name, require_support
from wosdk_async.query import properties
from wosdk_async.query.columns import Column, columns_of
from wosdk_async.query.conditions import Condition
from wosdk_async.query.paging import Cursor, KeyCursor, OffsetCursor, highest_id
from wosdk_async.query.plan import Plan, condition_of, selection
from wosdk_async.text.formula_guard import FormulaGuard
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.http.engine import SendError

__all__ = ["ExportedRows", "ExportedTable", "known_entity"]


def known_entity(entity: type[Record] | str) -> type[Record]:
    """Return the class of an entity. Raises InvalidCallError when the catalogue does not know it."""
    found = entity_class(entity) if isinstance(entity, str) else entity
    if found is None:
        raise InvalidCallError(
            f"the catalogue does not know {entity!r:.80}, so the columns of an export are not known",
            remedies=(Remedy.QUERY_UNKNOWN,),
            entity=f"{entity!s:.80}",
        )
    require_support(found, "query")
    return found


@attrs.frozen
class ExportedRows:
    """Records of an entity that fulfil conditions, read by wire names, and their columns."""

    plan: Plan
    columns: tuple[Column, ...]

    @classmethod
    def of(
        cls,
        entity: type[Record] | str,
        where: Iterable[Condition] = (),
        select: Iterable[str | properties.Path] = (),
        limit: int | None = None,
    ) -> ExportedRows:
        """Return the rows of a query. Raises InvalidCallError for names and values that do not fit."""
        known = known_entity(entity)
        checked = Plan(known)
        conditions = tuple(condition_of(checked, each) for each in where)
        paths = tuple(selection(known, select))
        plan = Plan(entity_name(known), conditions, paths, limit=limit)
        return cls(plan, columns_of(known, paths))

    def builder(self) -> Any:
        """Return the maker of record batches. Raises ExportError when pyarrow is missing."""
        arrow = export_package("pyarrow")
        export_package("pyarrow.compute")
        arrow.array([""])  # loads pandas if it is there: not while the event loop waits
        from wosdk_async.query.table import TableBuilder  # it needs pyarrow

        return TableBuilder(self.columns)

    @property
    def json_columns(self) -> frozenset[str]:
        """Names of the columns that hold JSON text."""
        return frozenset(column.name for column in self.columns if column.is_json)

    def cursor(
        self,
        company: Company,
        ids: IdRange,
        page: int,
        *,
        decode: Decode,
        rows_before: int = 0,
    ) -> Cursor:
        """Return the cursor of a range; of a limit ``rows_before`` were read already."""
        plan = self.plan
        if plan.limit is not None:
            plan = attrs.evolve(plan, limit=max(1, plan.limit - rows_before))
        if plan.by_key:
            return KeyCursor(_fetch(company, decode), plan, page, above=ids.above, until=ids.until)
        return OffsetCursor(_fetch(company, decode), plan, page)

    async def highest(self, company: Company) -> int | None:
        """Return the highest id of the records; None when there are none."""
        return checked_id(await highest_id(_fetch(company), self.plan))


Decode = Callable[[bytes], list[Any]]


def _fetch(company: Company, decode: Decode | None = None) -> Any:
    """Return the function that fetches pages; pages that are too long are asked for again, by half."""
    most: int | None = None

    async def fetch(plan: Plan, expression: dict[str, Any]) -> list[Any]:
        nonlocal most
        while True:
            count = min(expression["Count"], most or expression["Count"])
            call = calls.query(plan.entity, expression | {"Count": count})
            if decode is not None:
                call.decode = _fitting(decode) if count > 1 else decode
            try:
                page = await company.send(call)
            except NoAnswerError as error:
                if count == 1 or not _is_too_long(error):
                    raise
            else:
                if page is not None:
                    return page
            most = count // 2

    return fetch


def _is_too_long(error: NoAnswerError) -> bool:
    return isinstance(error.__cause__, SendError) and error.__cause__.too_long


def _fitting(decode: Decode) -> Any:
    def rows(body: bytes) -> list[Any] | None:
        try:
            return decode(body)
        except TooManySymbolsError:
            return None

    return rows


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
