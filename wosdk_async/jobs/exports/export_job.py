"""Base class of exports, and the exported table with its query, columns and output format."""

from __future__ import annotations

import abc
import asyncio
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import attrs

from wosdk_async.codec.json import TooManySymbolsError
from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError, NoAnswerError
from wosdk_async.jobs.exports import (
    ExportError,
    ExportOptions,
    ExportPlan,
    ExportSummary,
    export_package,
    writing_output,
)
from wosdk_async.jobs.exports.table_writers import TableForm, usable_format
from wosdk_async.jobs.exports.work_folder import IdRange, checked_id
from wosdk_async.jobs.ledger.request import company_identity
from wosdk_async.model import Record, entity_class
from wosdk_async.protocol import calls
from wosdk_async.protocol.arguments import entity_name, require_support
from wosdk_async.query import properties
from wosdk_async.query.builder import condition_of, selection
from wosdk_async.query.columns import Column, columns_of
from wosdk_async.query.paging import Cursor, KeyCursor, OffsetCursor, highest_id
from wosdk_async.query.plan import Condition, Plan
from wosdk_async.shared_tasks import completed
from wosdk_async.text.formula_guard import FormulaGuard
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.http.engine import SendError

if TYPE_CHECKING:
    from wosdk_async.query.table import TableBuilder


def known_entity(entity: type[Record] | str) -> type[Record]:
    """Return the class of an entity that can be queried.

    Raises:
        InvalidCallError: the entity is not in the catalogue.
        UnsupportedError: the service does not support queries of the entity.
    """
    found = entity_class(entity) if isinstance(entity, str) else entity
    if found is None:
        raise InvalidCallError(
            f"the catalogue does not know {entity!r:.80}, so the export columns are unknown",
            remedies=(Remedy.QUERY_UNKNOWN,),
            entity=f"{entity!s:.80}",
        )
    require_support(found, "query")
    return found


@attrs.frozen(kw_only=True)
class ExportedTable:
    """Records of a query, with columns and output format."""

    query: Plan
    columns: tuple[Column, ...]
    builder: TableBuilder
    form: TableForm
    options: ExportOptions

    @classmethod
    def of(
        cls,
        entity: type[Record],
        output: Path,
        options: ExportOptions,
        *,
        where: Iterable[Condition] = (),
        select: Iterable[str | properties.Path] = (),
        default: str | None = None,
    ) -> Self:
        """Create the table for an output; its format is ``default`` if neither options nor suffix specify it.

        Raises:
            InvalidCallError: a name or value is invalid.
            ExportError: the format is unknown, an option does not apply to it, or a package is missing.
        """
        unfiltered = Plan(entity)
        conditions = tuple(condition_of(unfiltered, each) for each in where)
        paths = tuple(selection(entity, select))
        columns = columns_of(entity, paths)
        format = usable_format(output, options.format, default)
        if format != "csv" and (options.csv_for_excel or options.csv_raw):
            raise ExportError(
                f"this option is for CSV, but the output is {format}",
                remedies=(Remedy.LEAVE_OUT,),
                option="csv_for_excel" if options.csv_for_excel else "csv_raw",
            )
        arrow = export_package("pyarrow")
        export_package("pyarrow.compute")
        arrow.array([""])  # imports pandas, if installed, because a later import would block the event loop
        from wosdk_async.query.table import TableBuilder  # imported here, because it needs pyarrow

        builder = TableBuilder(columns)
        form = TableForm(
            format=format,
            schema=builder.schema,
            json_columns={column.name for column in columns if column.is_json},
            title=entity_name(entity),
            csv_for_excel=options.csv_for_excel,
            guard=FormulaGuard(raw=options.csv_raw),
        )
        query = Plan(entity_name(entity), conditions, paths, limit=options.limit)
        return cls(query=query, columns=columns, builder=builder, form=form, options=options)

    def plan(self, company: Company) -> ExportPlan:
        """Return the export plan to store."""
        return {
            "entity": self.query.name,
            "company": company_identity(company),
            "expression": self.query.expression(),
            "columns": [[column.name, column.type] for column in self.columns],
            "format": self.form.format,
            "limit": self.options.limit,
            "csv_for_excel": self.options.csv_for_excel,
            "csv_raw": self.options.csv_raw,
        }

    def cursor(self, company: Company, ids: IdRange, *, rows_before: int) -> Cursor:
        """Return a range's cursor. The limit includes ``rows_before``, the number of rows already read."""
        query, fetch = self.query, _fetch(company, self.builder.rows)
        if query.limit is not None:
            query = attrs.evolve(query, limit=max(1, query.limit - rows_before))
        if query.by_key:
            return KeyCursor(fetch, query, self.options.page, above=ids.above, until=ids.until)
        return OffsetCursor(fetch, query, self.options.page)

    async def highest(self, company: Company) -> int | None:
        """Return the highest record id; None if there are no records."""
        return checked_id(await highest_id(_fetch(company), self.query))


_Decode = Callable[[bytes], list[Any]]


def _fetch(company: Company, decode: _Decode | None = None) -> Any:
    """Return a function that fetches pages, and retries oversized pages with half the rows."""
    most: int | None = None

    async def fetch(plan: Plan, expression: dict[str, Any]) -> list[Any]:
        nonlocal most
        while True:
            count = min(expression["Count"], most or expression["Count"])
            call = calls.query(plan.entity, expression | {"Count": count})
            if decode is not None:
                call.decode = _none_if_oversized(decode) if count > 1 else decode
            try:
                page = await company.send(call)
            except NoAnswerError as error:
                if count == 1 or not (isinstance(error.__cause__, SendError) and error.__cause__.too_long):
                    raise
            else:
                if page is not None:
                    return page
            most = count // 2

    return fetch


def _none_if_oversized(decode: _Decode) -> Any:
    def rows(body: bytes) -> list[Any] | None:
        try:
            return decode(body)
        except TooManySymbolsError:
            return None

    return rows


# --- base class -----------------------------------------------------------------------------------

T = TypeVar("T")

OnRows = Callable[[int], None]
"""Callback for the number of rows read."""
OnStage = Callable[[str], None]
"""Callback for a description of the current step."""


def require_parent(path: Path) -> None:
    """Raise ExportError if the output directory does not exist."""
    if not path.parent.is_dir():
        raise ExportError(f"{path}: directory {path.parent} does not exist; create it first")


class ExportJob(abc.ABC):
    """Base class of exports; ``folder`` is where an export writes its files."""

    options: ExportOptions

    def __init__(
        self,
        table: ExportedTable,
        company: Company | None,
        folder: Path,
        on_progress: OnRows,
        on_stage: OnStage,
    ) -> None:
        self._table, self._default_company, self._folder = table, company, folder
        self.format = table.form.format
        self._on_progress, self._on_stage = on_progress, on_stage
        self.rows = 0
        """Number of rows read, including those of earlier runs."""

    def __await__(self) -> Generator[Any, None, ExportSummary]:
        return self.run().__await__()

    def watch(self, on_progress: OnRows, on_stage: OnStage) -> None:
        """Replace the callbacks."""
        self._on_progress, self._on_stage = on_progress, on_stage

    @property
    def is_kept(self) -> bool:
        """Whether the rows read so far are stored, so that the same export can resume."""
        return False

    @abc.abstractmethod
    async def run(self, company: Company | None = None) -> ExportSummary:
        """Read and write the rows."""

    def _required(self, company: Company | None) -> Company:
        if (found := company or self._default_company) is None:
            raise InvalidCallError(
                "the export has no Company; write export.run(company) or "
                f"{type(self).__name__}(..., company=...)"
            )
        return found

    def _count(self, rows: int) -> None:
        if rows:
            self.rows += rows
            self._on_progress(self.rows)

    def _summary(self, started: float, **counts: Any) -> ExportSummary:
        return ExportSummary(
            format=self.format,
            columns=len(self._table.columns),
            seconds=time.monotonic() - started,
            guarded=self._table.form.guard.texts,
            **counts,
        )

    async def _in_thread(
        self,
        function: Callable[..., T],
        *args: Any,
        thread: Executor | None = None,
        on_cancel: Callable[[], None] = lambda: None,
    ) -> T:
        """Run a function that writes files, converting errors as :func:`writing_output` does.

        A cancelled caller waits until the function has ended, because the function uses objects that the
        caller would close; ``on_cancel`` may end the function sooner.
        """
        # Not a task: a closing loop would cancel the task, while the function would continue in its thread.
        writing = asyncio.get_running_loop().run_in_executor(thread, function, *args)
        with writing_output(self._folder):
            return await completed(writing, on_cancel)
