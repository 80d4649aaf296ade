"""Output files of a job: results, rejects, rows in doubt, references and the report."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import orjson

from wosdk_async.jobs.errors import ImportMapError, OutputError
from wosdk_async.jobs.journal import JobPlan, State
from wosdk_async.jobs.journal.entries import to_json
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.ledger.request import PYTHON_WORDS, ReportWords
from wosdk_async.jobs.options import ExcelSeparator
from wosdk_async.jobs.report.facts import JobFacts
from wosdk_async.jobs.report.output_folder import OutputFolder, file_facts, read_object
from wosdk_async.jobs.report.output_tables import (
    AUDIT,
    IN_DOUBT,
    REJECTS,
    write_audit,
    write_doubts,
    write_references,
    write_rejects,
    write_results,
)
from wosdk_async.jobs.report.page import report_page
from wosdk_async.jobs.sources.source import FileDialect, Source
from wosdk_async.jobs.sources.table import Table
from wosdk_async.jobs.sources.table_rules import TableRules
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.regular_files import replace_file
from wosdk_async.shared_tasks import completed
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import json_escaped

_PAGE_FILE = "report.html"
_JSON = "report.json"  # written last, to prove that all files are complete


async def write_outputs(
    journal: JournalReader,
    source: Source | None,
    *,
    csv_for_excel: ExcelSeparator | None = None,
    words: ReportWords = PYTHON_WORDS,
) -> list[Path]:
    """Write a job's results, rejects, rows in doubt, references, audit and report; return the files' paths.

    The files cover the rows of the latest input. If the input is new, existing files are moved to ``runs/N``,
    where N is the number of the run that wrote them.

    After a kill, each file is complete, in its old or new version. Empty tables are removed, except for the
    results. An edited table is kept, and the new table gets a number, as in ``rejects-2.csv``. All files are
    written even if the caller is cancelled.

    Args:
        journal: the job's journal, possibly read-only.
        source: the input, from which the cells are read again; with None, ``rejects.csv`` and
            ``in_doubt.csv`` are not rewritten.
        csv_for_excel: the separator for Excel, with a byte order mark (default: commas without a mark).
        words: remedies and command lines for the report.

    Raises:
        OutputError: some files could not be written.
    """
    return await _finish(journal, _write_all(journal, source, FileDialect.for_excel(csv_for_excel), words))


async def write_report(journal: JournalReader, *, words: ReportWords = PYTHON_WORDS) -> list[Path]:
    """Write only a job's ``report.html`` and ``report.json``; see :func:`write_outputs`."""
    return await _finish(journal, _write_report_alone(journal, words))


async def outputs_are_current(journal: JournalReader) -> bool:
    """Return whether all files were written after the job's last run."""
    runs = await journal.runs()
    try:
        report = read_object(journal.folder / _JSON)
        written = [run["number"] for run in report["runs"]]
        return written == [run.number for run in runs] and all(
            (journal.folder / file["name"]).is_file() for file in report["files"]
        )
    except (OSError, LookupError, TypeError):
        return False


async def _finish(journal: JournalReader, writing: Coroutine[Any, Any, list[Path]]) -> list[Path]:
    try:
        return await completed(asyncio.create_task(writing))
    except OSError as error:
        raise OutputError(
            f"{error.filename or journal.folder}: {error.strerror or error}",
            remedies=(Remedy.WRITE_OUTPUTS,),
            folder=str(journal.folder),
        ) from error


async def _write_all(
    journal: JournalReader, source: Source | None, dialect: FileDialect, words: ReportWords
) -> list[Path]:
    facts = await JobFacts.read(journal)
    if source is not None:
        source = Table.of(source, TableRules.of_options(facts.last_plan.options))
    folder = await asyncio.to_thread(OutputFolder, journal.folder, dialect)
    # Use the path of the source, because plan.file may name a copy of it.
    path = Path(journal.plan.file) if source is None else source.path.absolute()
    await asyncio.to_thread(_set_aside, folder, journal.plan, path)
    written = [await write_results(folder, journal, facts)]
    if facts.references:
        written.append(await asyncio.to_thread(write_references, folder, facts))
    if facts.audit_rows:
        written.append(await write_audit(folder, journal))
    else:
        await asyncio.to_thread(folder.remove, AUDIT)
    failure, tables = None, list[Path]()
    for name, states, write in (
        (IN_DOUBT, UNDECIDED, write_doubts),
        # Last, because the input may be an earlier rejects.csv, which is read for the table above.
        (REJECTS, (State.REFUSED,), write_rejects),
    ):
        if not any(facts.counts[state] for state in states):
            await asyncio.to_thread(folder.remove, name)
        elif source is not None:
            try:
                tables.insert(0, await write(folder, journal, source))  # the result lists rejects.csv first
            except ImportMapError as error:  # the input has been changed or removed
                failure = OutputError(
                    f"{journal.folder / name} was not written: {error.message}", **error.facts
                )
    written += tables + await asyncio.to_thread(_write_report, facts, folder, words)
    if failure is not None:
        raise failure
    return written


def _set_aside(folder: OutputFolder, plan: JobPlan, source: Path) -> None:
    """Move the last run's files to ``runs/N`` if they belong to an input other than ``source``."""
    report = read_object(folder.folder / _JSON)
    try:
        last = report["plan"]
        if (last["sha256"], last.get("sheet")) == (plan.sha256, plan.sheet):
            return
        number = max(int(run["number"]) for run in report["runs"])
    except (AttributeError, LookupError, TypeError, ValueError):  # no report, or one that no job wrote
        return
    folder.set_aside(folder.folder / "runs" / str(number), (_PAGE_FILE, _JSON), copied=source)


async def _write_report_alone(journal: JournalReader, words: ReportWords) -> list[Path]:
    facts = await JobFacts.read(journal)
    async for page in journal.file_pages():
        facts.add(page)
    return await asyncio.to_thread(_write_report, facts, OutputFolder(journal.folder), words)


def _write_report(facts: JobFacts, folder: OutputFolder, words: ReportWords) -> list[Path]:
    page, data = folder.path_to_overwrite(_PAGE_FILE), folder.path_to_overwrite(_JSON)
    facts.files = folder.tables()
    if (rejects := folder.path(REJECTS)).exists():
        facts.rejects = rejects.name
    written = []
    if (text := report_page(facts, words)) is not None:
        with replace_file(page) as file:
            file.write(text.encode(errors="replace"))
        facts.files = [*facts.files, file_facts(page)]
        written.append(page)
    with replace_file(data) as file:
        text = orjson.dumps(orjson.loads(to_json(facts.as_dict())), option=orjson.OPT_INDENT_2).decode()
        file.write(f"{json_escaped(text)}\n".encode())
    return [*written, data]
