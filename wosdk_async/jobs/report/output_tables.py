"""CSV tables of a job. A thread writes them, while the event loop reads the rows from the journal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
from anyio import from_thread
from msgspec.structs import replace

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.journal import Journal, RowRecord, State, StoredRow
from wosdk_async.jobs.journal.entries import REPEATED_KEY
from wosdk_async.jobs.ledger.identity import key_identity
from wosdk_async.jobs.report import OutputFolder
from wosdk_async.jobs.report.facts import JobFacts, outcome_of, shown_reason
from wosdk_async.jobs.sources.rows import TYPES_COLUMN, Row, types_text
from wosdk_async.jobs.sources.source import REPORT_COLUMNS, Source, padded
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.regular_files import sha256_of
from wosdk_async.text.formula_guard import without_formulas
from wosdk_async.text.safe_text import one_line

REJECTS, IN_DOUBT, AUDIT = "rejects.csv", "in_doubt.csv", "audit.csv"
_RESULTS, _REFERENCES = "results.csv", "references.csv"


def write_results(folder: OutputFolder, journal: Journal, facts: JobFacts) -> Path:
    """Write each row's outcome, and add the rows to ``facts``."""
    outcomes = {state: outcome_of(state, journal.plan) for state in State}
    with folder.writing_rows(_RESULTS) as writer:
        writer.writerow(RESULT_COLUMNS)
        undos: Mapping[int, RowRecord] = {}
        for page in file_pages(journal):
            if facts.undone is not None:
                undos = from_thread.run(journal.undos, [row.row for row in page])
            facts.add(page)
            writer.writerows(
                _result_after_undo(row, outcomes[row.state], undos.get(row.row))
                if undos  # usually empty, which saves the function call
                else _result(row, outcomes[row.state])
                for row in page
            )
    return folder.path(_RESULTS)


def write_references(folder: OutputFolder, facts: JobFacts) -> Path:
    """Write the referenced records that this job tried to create."""
    with folder.writing_rows(_REFERENCES) as writer:
        writer.writerow(("reference", "name", "state", "id", "reason", "request_id"))
        for each in facts.references:
            texts = (each.reference, each.key, each.outcome)
            writer.writerow([*map(_safe, texts), each.id, _safe(each.reason), _safe(each.request_id)])
    return folder.path(_REFERENCES)


def write_audit(folder: OutputFolder, journal: Journal) -> Path:
    """Write the rows for which the Company's data differs from the journal."""
    with folder.writing_rows(AUDIT) as writer:
        writer.writerow(("row", "line", "finding", "key", "state", "ids"))
        after = 0
        while page := from_thread.run(journal.audit_rows, after):
            for row in page:
                ids = " ".join(map(str, row.ids))
                writer.writerow((row.row, row.line, row.finding, _safe(row.key), row.state.word, ids))
            after = page[-1].row
    return folder.path(AUDIT)


def write_rejects(folder: OutputFolder, journal: Journal, source: Source) -> Path:
    """Write the refused rows' original cells in the input format.

    If the input has typed values, such as numbers in a sheet, a column stores their types. Without the types,
    the map might parse the values differently.
    """
    types = source.dialect is None or source.dialect.types
    # The byte order mark tells Excel that the file is UTF-8.
    dialect = source.dialect or attrs.evolve(folder.dialect, encoding="utf-8-sig")
    with folder.writing_rows(REJECTS, dialect) as writer:
        writer.writerow([*source.columns, *REPORT_COLUMNS, *([TYPES_COLUMN] if types else ())])

        def cells(stored: StoredRow, row: Row) -> list[Any]:
            outcome = outcome_of(stored.state, journal.plan)
            about = (journal.plan.job, stored.row, stored.line, outcome)
            report = (*about, _safe(stored.code), _safe(stored.reason))
            more = (types_text(dict(row.cells.items())),) if types else ()
            return [*padded(row, source.columns, stored.reason or ""), *report, *more]

        _write_rows(writer, journal, source, cells, State.REFUSED)
    return folder.path(REJECTS)


def write_doubts(folder: OutputFolder, journal: Journal, source: Source) -> Path:
    """Write rows in doubt, and rows in flight when the run ended, with their cells."""
    with folder.writing_rows(IN_DOUBT) as writer:
        own = [f"_{name}" for name in RESULT_COLUMNS]  # the input may have columns of the same names
        writer.writerow([*own, *map(_shown, source.columns)])

        def cells(stored: StoredRow, row: Row) -> list[Any]:
            return [
                *_result(stored, outcome_of(stored.state, journal.plan)),
                *map(_shown, row.original(source.columns)),
            ]

        _write_rows(writer, journal, source, cells, *UNDECIDED)
    return folder.path(IN_DOUBT)


def _write_rows(
    writer: Any,
    journal: Journal,
    source: Source,
    cells: Callable[[StoredRow, Row], list[Any]],
    *states: State,
) -> None:
    """Write the rows that have one of ``states``.

    Raises:
        ImportMapError: the file has changed since the last run, or cannot be read.
    """
    if sha256_of(source.path) != journal.plan.sha256:
        raise ImportMapError(
            f"{source.path} has changed since the last run; restore the file, or import it again"
        )
    rows = iter(source)
    for page in file_pages(journal, *states):
        for stored in page:
            row = next((row for row in rows if row.line == stored.line), None)
            if row is None:
                raise ImportMapError(
                    f"{source.path} has changed since the last run (row {stored.row}); restore the file, or "
                    "import it again"
                )
            writer.writerow(cells(stored, row))


def file_pages(journal: Journal, *states: State) -> Iterator[list[StoredRow]]:
    """Yield pages of rows in file order, with keys. If a key is not sent, take it from the row's name."""
    named = journal.plan.marker is None and journal.plan.key is not None
    pages = journal.file_pages(*states)
    while page := from_thread.run(anext, pages, None):
        if numbers := [row.row for row in page if named or row.code == REPEATED_KEY]:
            keys = from_thread.run(journal.named_keys, numbers, key_identity)
            for row in page:
                row.key = keys.get(row.row, row.key)
        yield page


RESULT_COLUMNS = (
    "row",
    "line",
    "outcome",
    "key",
    "id",
    "number",
    "reason",
    "code",
    "request_id",
    "warnings",
    "changed",
)
"""Columns of ``results.csv``: a row's outcome, and whether the row has changed since it was sent."""


_SENT = (State.DONE, State.FOUND, *UNDECIDED)
_UNDO_UNFINISHED = "the undo did not finish; undo the job again to resume it"


def _result_after_undo(row: StoredRow, outcome: str, undo: RowRecord | None) -> list[Any]:
    if undo is None or undo.state not in (State.DONE, *UNDECIDED):
        return _result(row, outcome)
    if undo.state == State.DONE:
        return _result(row, "undone")
    why = f"{undo.reason}; {_UNDO_UNFINISHED}" if undo.reason else _UNDO_UNFINISHED
    return _result(replace(row, reason=why, request_id=undo.request_id or row.request_id), "undo_in_doubt")


def _result(row: StoredRow, outcome: str) -> list[Any]:
    reason, warnings = shown_reason(row), "; ".join(row.warnings) if row.warnings else None
    return [
        row.row,
        row.line,
        outcome,
        row.key and _safe(row.key),
        row.id,
        row.number and _safe(row.number),
        reason and _safe(reason),
        row.code and _safe(row.code),
        row.request_id and _safe(row.request_id),
        warnings and _safe(warnings),
        "yes" if row.changed and row.state in _SENT else None,
    ]


def _safe(text: str | None) -> str | None:
    """Return text without formulas or line breaks; some programs misread quoted line breaks."""
    if text and _PLAIN.fullmatch(text):  # most keys and numbers
        return text
    return without_formulas(one_line(text)) if text else None


_PLAIN = re.compile("[0-9A-Za-z]+(?:[ _.-][0-9A-Za-z]+)*")  # text that needs no escaping
# Control characters to escape. Line breaks and tabs are kept, and so are marks in Arabic or Indic text.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _shown(cell: str) -> str:
    """Return an input cell, escaped for a file that only people read."""
    return without_formulas(_CONTROL.sub(lambda found: one_line(found[0]), cell))
