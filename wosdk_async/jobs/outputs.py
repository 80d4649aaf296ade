"""Files that come out of a job: what became of each row, rejected rows, rows in doubt, and the report."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import io
import re
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO, TypeVar

import anyio
import orjson

from wosdk_async.jobs.errors import ImportMapError, OutputError
from wosdk_async.jobs.journal import JobPlan, State, StoredRow, digest, replace_file
from wosdk_async.jobs.journal.entries import to_json
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.report.facts import JobFacts, file_facts, outcome_of
from wosdk_async.jobs.report.page import report_page
from wosdk_async.jobs.rows import Row
from wosdk_async.jobs.sources.source import REPORT_COLUMNS, FileDialect, Source
from wosdk_async.safe_text import UNSAFE, one_line, without_formulas

__all__ = ["outputs_are_current", "write_outputs", "write_report"]

T = TypeVar("T")

_PAGE = 1000  # rows of the journal that are held at a time
_RESULTS, _REJECTS, _IN_DOUBT = "results.csv", "rejects.csv", "in_doubt.csv"
_PAGE_FILE, _JSON = "report.html", "report.json"  # the JSON is written last: it says that all others are
_COLUMNS = ("row", "line", "outcome", "key", "id", "number", "reason", "code", "request_id", "warnings")
_DOUBTFUL = (State.IN_DOUBT, State.SENDING)


async def write_outputs(journal: JournalReader, source: Source | None) -> list[Path]:
    """Write the files of a job into its folder: results, rejects, rows in doubt and the report.

    A kill leaves each of them as it was, or new and complete. Files that would have no rows are removed, all
    but the results. When the caller is cancelled, the files are still written to their end.

    Args:
        journal: the journal of the job, which may be open for reading only.
        source: the input, whose cells are read again; None when it is not there any more. Then
            ``rejects.csv`` and ``in_doubt.csv`` stay as they are.

    Returns:
        The files that were written.

    Raises:
        OutputError: not all files could be written.
    """
    return await _written(journal, _write_all(journal, source))


async def write_report(journal: JournalReader) -> list[Path]:
    """Write ``report.html`` and ``report.json`` of a job again, as :func:`write_outputs` does."""
    return await _written(journal, _write_report_alone(journal))


async def outputs_are_current(journal: JournalReader) -> bool:
    """Return whether the files were written to their end after the last run of the job."""
    runs = await journal.runs()
    try:
        report = orjson.loads((journal.folder / _JSON).read_bytes())
        written = [run["number"] for run in report["runs"]]
        return written == [run.number for run in runs] and all(
            (journal.folder / file["name"]).is_file() for file in report["files"]
        )
    except (OSError, ValueError, LookupError, TypeError):
        return False


async def _written(journal: JournalReader, writing: Coroutine[Any, Any, list[Path]]) -> list[Path]:
    try:
        return await _to_its_end(asyncio.get_running_loop().create_task(writing))
    except OSError as error:
        raise OutputError(
            f"{error.filename or journal.folder}: {error.strerror or error}; the journal is right: "
            f"mend this, then write the files again with wosdk jobs rejects {journal.folder}"
        ) from error


async def _to_its_end(task: asyncio.Task[T]) -> T:
    """Return the result of a task, and let it end also if the caller is cancelled meanwhile."""
    cancelled: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as error:
                cancelled = error
    if cancelled is not None:
        with contextlib.suppress(Exception):
            task.result()
        raise cancelled
    return task.result()


# --- all files ------------------------------------------------------------------------------------


async def _write_all(journal: JournalReader, source: Source | None) -> list[Path]:
    facts = await JobFacts.read(journal)
    written = [await _write_results(journal, facts)]
    problem = None
    for name, states, write in (
        (_REJECTS, (State.REFUSED,), _write_rejects),
        (_IN_DOUBT, _DOUBTFUL, _write_doubts),
    ):
        path = journal.folder / name
        if not any(facts.counts[state] for state in states):
            path.unlink(missing_ok=True)
        elif source is not None:
            try:
                await write(path, journal, source)
                written.append(path)
            except ImportMapError as error:  # the input was changed or removed meanwhile
                problem = OutputError(f"{path} was not written: {error.message}")
    written += await asyncio.to_thread(_write_report, facts)
    if problem is not None:
        raise problem
    return written


async def _write_report_alone(journal: JournalReader) -> list[Path]:
    facts = await JobFacts.read(journal)
    async for page in _pages(journal):
        facts.add(page)
    return await asyncio.to_thread(_write_report, facts)


def _write_report(facts: JobFacts) -> list[Path]:
    page, data = facts.folder / _PAGE_FILE, facts.folder / _JSON
    paths = [facts.folder / name for name in (_RESULTS, _REJECTS, _IN_DOUBT)]
    facts.files = [file_facts(path) for path in paths if path.is_file()]
    with replace_file(page) as file:
        file.write(report_page(facts).encode(errors="replace"))
    facts.files = [*facts.files, file_facts(page)]
    with replace_file(data) as file:
        text = orjson.dumps(orjson.loads(to_json(facts.as_dict())), option=orjson.OPT_INDENT_2).decode()
        file.write(f"{_json_controls(text)}\n".encode())
    return [page, data]


async def _pages(journal: JournalReader, *states: State) -> AsyncIterator[list[StoredRow]]:
    after = 0
    while page := await journal.rows_in(*states, after=after, limit=_PAGE):
        yield page
        after = page[-1].row


# --- rows: read from the journal by the event loop, written by a thread -----------------------------


@contextlib.asynccontextmanager
async def _csv_file(path: Path, encoding: str = "utf-8") -> AsyncIterator[TextIO]:
    manager = _text_file(path, encoding)
    file = await asyncio.to_thread(manager.__enter__)
    try:
        yield file
    except BaseException:
        manager.__exit__(*sys.exc_info())
        raise
    await asyncio.to_thread(manager.__exit__, None, None, None)


@contextlib.contextmanager
def _text_file(path: Path, encoding: str) -> Iterator[TextIO]:
    with replace_file(path) as file:
        # A reason may have characters that the encoding of the input has not.
        text = io.TextIOWrapper(file, encoding, errors="backslashreplace", newline="")
        yield text
        text.detach()  # writes what is left, and leaves the file open


async def _write_results(journal: JournalReader, facts: JobFacts) -> Path:
    path = journal.folder / _RESULTS
    async with _csv_file(path) as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(_COLUMNS)

        def write(page: Sequence[StoredRow]) -> None:
            facts.add(page)
            writer.writerows(_result(row, journal.plan) for row in page)

        async for page in _pages(journal):
            await asyncio.to_thread(write, page)
    return path


async def _write_rejects(path: Path, journal: JournalReader, source: Source) -> None:
    """Write the original cells of the refused rows, in the way in which the input is written."""
    dialect = source.dialect or FileDialect(encoding="utf-8-sig")  # the mark is for Excel
    async with _csv_file(path, dialect.encoding) as file:
        writer = dialect.writer(file)
        writer.writerow([*source.columns, *REPORT_COLUMNS])

        def cells(stored: StoredRow, row: Row) -> list[Any]:
            outcome = outcome_of(stored.state, journal.plan)
            report = (stored.row, stored.line, outcome, _safe(stored.code), _safe(stored.reason))
            return [*row.original(source.columns), *report]

        await _write_rows(writer, journal, source, cells, State.REFUSED)


async def _write_doubts(path: Path, journal: JournalReader, source: Source) -> None:
    """Write the rows in doubt with their cells."""
    async with _csv_file(path) as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow([*_COLUMNS, *map(_shown, source.columns)])

        def cells(stored: StoredRow, row: Row) -> list[Any]:
            return [*_result(stored, journal.plan), *map(_shown, row.original(source.columns))]

        await _write_rows(writer, journal, source, cells, *_DOUBTFUL)


async def _write_rows(
    writer: Any,
    journal: JournalReader,
    source: Source,
    cells: Callable[[StoredRow, Row], list[Any]],
    *states: State,
) -> None:
    """Write the rows that have one of the states, each with what the input has in it.

    Raises:
        ImportMapError: the input has changed since the job began, or cannot be read.
    """
    rows = iter(source)

    def write(page: Sequence[StoredRow]) -> None:
        for stored in page:
            row = next((row for row in rows if row.number == stored.row), None)
            if row is None or digest(row.cells) != stored.digest:
                raise ImportMapError(f"{source.path} has changed since the job began (row {stored.row})")
            writer.writerow(cells(stored, row))

    async for page in _pages(journal, *states):
        await asyncio.to_thread(write, page)


def _result(row: StoredRow, plan: JobPlan) -> list[Any]:
    return [
        row.row,
        row.line,
        outcome_of(row.state, plan),
        _safe(row.key),
        row.id,
        _safe(row.number),
        _safe(row.reason),
        _safe(row.code),
        _safe(row.request_id),
        _safe("; ".join(row.warnings)),
    ]


def _safe(text: str | None) -> str | None:
    """Return a text of the service or of the import on one line: a reader that knows no quotes reads it."""
    return without_formulas(one_line(text)) if text else None


def _json_controls(text: str) -> str:
    """Return JSON with control characters and the like by their codes; line breaks stand between values."""
    return UNSAFE.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


# Line breaks and tabs of the input stay, and so do marks that Arabic or Indic texts need.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _shown(cell: str) -> str:
    """Return a cell of the input for a file that is looked at, and not imported."""
    return without_formulas(_CONTROL.sub(lambda found: one_line(found[0]), cell))
