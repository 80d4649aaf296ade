"""Output files of a job: results, rejects, rows in doubt, references and the report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from anyio import from_thread, to_thread

from wosdk_async.jobs.errors import ImportMapError, OutputError
from wosdk_async.jobs.journal import JobPlan, JobRun, Journal, State, StoredRow
from wosdk_async.jobs.journal.entries import to_json
from wosdk_async.jobs.journal.worker_tables import AuditState
from wosdk_async.jobs.ledger.overview import UNDER_WAY, failure_of, stop_of, unsent_warnings, why_no_audit
from wosdk_async.jobs.ledger.request import PYTHON_WORDS, ReportWords
from wosdk_async.jobs.ledger.undone import UNDO
from wosdk_async.jobs.options import ExcelSeparator
from wosdk_async.jobs.report import OutputFolder, file_facts, read_object
from wosdk_async.jobs.report.facts import OUTCOMES, JobFacts, outcome_of, shown_reason, shown_time
from wosdk_async.jobs.report.output_tables import (
    AUDIT,
    IN_DOUBT,
    REJECTS,
    file_pages,
    write_audit,
    write_doubts,
    write_references,
    write_rejects,
    write_results,
)
from wosdk_async.jobs.sources.source import FileDialect, Source
from wosdk_async.jobs.sources.table import Table
from wosdk_async.jobs.sources.table_rules import TABLE, TableRules
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.regular_files import replace_file
from wosdk_async.shared_tasks import completed
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import json_escaped, one_line

if TYPE_CHECKING:
    from jinja2 import Template

_PAGE_FILE = "report.html"
_JSON = "report.json"  # written last, so that it lists only complete files


async def write_outputs(
    journal: Journal,
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
        csv_for_excel: the separator for Excel; None for plain CSV, without a byte order mark.
        words: remedies and command lines for the report.

    Raises:
        OutputError: some files could not be written.
    """
    return await _in_thread(_write_all, journal, source, FileDialect.for_excel(csv_for_excel), words)


async def write_report(journal: Journal, *, words: ReportWords = PYTHON_WORDS) -> list[Path]:
    """Write only a job's ``report.html`` and ``report.json``; see :func:`write_outputs`."""
    return await _in_thread(_write_report_alone, journal, words)


async def outputs_are_current(journal: Journal) -> bool:
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


async def _in_thread(write: Callable[..., list[Path]], journal: Journal, *args: object) -> list[Path]:
    try:
        return await completed(asyncio.create_task(to_thread.run_sync(write, journal, *args)))
    except OSError as error:
        raise OutputError(
            f"{error.filename or journal.folder}: {error.strerror or error}",
            remedies=(Remedy.WRITE_OUTPUTS,),
            folder=str(journal.folder),
        ) from error


def _write_all(
    journal: Journal, source: Source | None, dialect: FileDialect, words: ReportWords
) -> list[Path]:
    facts = from_thread.run(JobFacts.read, journal)
    if source is not None:
        source = Table.of(source, TableRules.of_options(facts.last_plan.options))
    folder = OutputFolder(journal.folder, dialect)
    # Use the path of the source, because plan.file may name a copy of it.
    path = Path(journal.plan.file) if source is None else source.path.absolute()
    _set_aside(folder, journal.plan, path)
    written = [write_results(folder, journal, facts)]
    if facts.references:
        written.append(write_references(folder, facts))
    if facts.audit_rows:
        written.append(write_audit(folder, journal))
    else:
        folder.remove(AUDIT)
    failure, tables = None, list[Path]()
    for name, states, write in (
        (IN_DOUBT, UNDECIDED, write_doubts),
        # Last, because the input may be an earlier rejects.csv, whose cells the other table needs.
        (REJECTS, (State.REFUSED,), write_rejects),
    ):
        if not any(facts.counts[state] for state in states):
            folder.remove(name)
        elif source is not None:
            try:
                tables.insert(0, write(folder, journal, source))  # the result lists rejects.csv first
            except ImportMapError as error:  # the input has been changed or removed
                failure = OutputError(
                    f"{journal.folder / name} was not written: {error.message}", **error.facts
                )
    written += tables + _write_report(facts, folder, words)
    if failure is not None:
        raise failure
    return written


def _set_aside(folder: OutputFolder, plan: JobPlan, source: Path) -> None:
    """Move the last run's files to ``runs/N`` if they belong to an input other than the plan's."""
    report = read_object(folder.folder / _JSON)
    try:
        last = report["plan"]
        if (last["sha256"], last.get("sheet")) == (plan.sha256, plan.sheet):
            return
        number = max(int(run["number"]) for run in report["runs"])
    except (AttributeError, LookupError, TypeError, ValueError):  # no report, or a report that no job wrote
        return
    folder.set_aside(folder.folder / "runs" / str(number), (_PAGE_FILE, _JSON), copied=source)


def _write_report_alone(journal: Journal, words: ReportWords) -> list[Path]:
    facts = from_thread.run(JobFacts.read, journal)
    for page in file_pages(journal):
        facts.add(page)
    return _write_report(facts, OutputFolder(journal.folder), words)


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


# --- report.html: no scripts, no other files ------------------------------------------------------

_MAX_CAUSES = 20
_MAX_RUNS = 50
_MAX_REASON = 400  # characters
# Headings of columns whose text may wrap within words.
_LONG = {"Reason for the first row", "Reason", "Why", "Name", "Key", "Ended"}


def report_page(facts: JobFacts, words: ReportWords) -> str | None:
    """Render a job's report as HTML; return None if jinja2 (extra ``cli``) is missing."""
    try:
        template = _template()
    except ImportError:
        return None
    plan, undone = facts.plan, facts.undone.done if facts.undone is not None else 0
    shown = [
        (outcome_of(state, plan).replace("_", " "), OUTCOMES[state], facts.counts[state])
        for state in (State.DONE, State.FOUND, State.REFUSED, State.IN_DOUBT, State.PLANNED)
    ]
    shown += [("undone since", "undone", undone), (UNDER_WAY, "in_doubt", facts.counts[State.SENDING])]
    tiles = [each for each in shown if each[2] or each[0] == "in doubt" or each[1] in ("created", "failed")]
    return template.render(
        facts=facts,
        plan=plan,
        name=Path(plan.file).name,
        n={state.name.lower(): facts.counts[state] for state in State},
        file_changed=_file_changed(facts.runs),
        unsent=unsent_warnings(facts.unsent_elsewhere, plan, facts.folder, words.remedy),
        under_way=UNDER_WAY,
        long=_LONG,
        state=_state(facts),
        tiles=[("rows", "rows", plan.rows), *tiles],
        bar=[(style, count - undone * (style == "created")) for _, style, count in shown],
        rejects_command=words.rejects_command(facts.last_plan, facts.folder / facts.rejects),
        **_tables(facts, words),
    )


def _file_changed(runs: Sequence[JobRun]) -> bool:
    stopped = stop_of(runs[-1]) if runs else None
    return stopped is not None and stopped.kind == ImportMapError.kind


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"counted": _counted, "when": shown_time}
    return environment.get_template("page.html")


def _shown(value: Any) -> Any:
    """Return a value on one line, with control characters and bidirectional marks escaped."""
    if hasattr(value, "__html__"):
        return value
    return one_line(f"{value:,}" if isinstance(value, int) else "" if value is None else str(value))


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _cut(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= _MAX_REASON else f"{text[:_MAX_REASON]} ..."


def _state(facts: JobFacts) -> tuple[str, str]:
    """Return a description of the job's state, and its CSS class."""
    counts = facts.counts
    doubted, under_way, failed = counts[State.IN_DOUBT], counts[State.SENDING], counts[State.REFUSED]
    if facts.undone is not None:
        return str(facts.undone).capitalize(), "look"
    if counts[State.PLANNED]:
        return f"Not finished: {_counted(counts[State.PLANNED], 'row')} not started", "look"
    if under_way:
        return f"Not finished: {_counted(under_way, 'row')} {UNDER_WAY}", "look"
    original, earlier = facts.unsent_elsewhere
    if original:
        return f"Not finished: {_counted(original, 'row')} of the original file not started", "look"
    if doubted:
        return f"Finished, with {_counted(doubted, 'row')} in doubt", "bad"
    if facts.audit_state in ("due", "not clean"):
        return f"Finished, and the audit is {facts.audit_state}", "bad"
    if earlier:
        return f"Finished, but with {_counted(earlier, 'row')} of earlier files not started", "look"
    if failed:
        return f"Finished, with {_counted(failed, 'failed row')}", "look"
    return (
        ("Finished: all rows are done", "") if facts.plan.rows else ("Finished: the file has no rows", "look")
    )


# --- tables of report.html ------------------------------------------------------------------------

_AUDITS: dict[AuditState, str] = {
    "none": "",
    "due": "Not done yet: run the same command again to look up every row's key.",
    "impossible": "Not possible",
    "clean": "The Company has exactly one record for each completed row, and none for other rows.",
    "not clean": "The Company's data differs from the journal; see the rows in audit.csv.",
}


def _tables(facts: JobFacts, words: ReportWords) -> dict[str, Any]:
    keyed = facts.plan.marker is not None or any(row.key for row in facts.doubted.rows)
    why = f": {why_no_audit(facts.plan)}." if facts.audit_state == "impossible" else ""
    row_counts = f" Rows: {facts.audit}." if facts.audit is not None else ""
    return {
        "causes": [
            (cause.count, _cut(cause.reason), cause.code, _row_numbers(cause.rows, cause.count))
            for cause in facts.causes[:_MAX_CAUSES]
        ],
        "keyed": keyed,
        "doubts": [_doubt(row, keyed) for row in facts.doubted.rows],
        "settled": [(row.row, row.line, row.key, row.number or str(row.id)) for row in facts.settled.rows],
        "audit": f"{_AUDITS[facts.audit_state]}{why}{row_counts}",
        "audited": [
            (row.row, row.line, row.key, row.finding, _word(row.state), ", ".join(map(str, row.ids)))
            for row in facts.audit_rows
        ],
        "uncreated": [
            (each.reference, each.name, _word(each.state), _cut(each.reason))
            for each in facts.references
            if each.state != State.DONE
        ],
        "runs": [_run(run, words) for run in facts.runs[-_MAX_RUNS:]],
        "about": _about(facts, words),
        "hashes": [
            ("the file", facts.plan.sha256, None),
            ("the map", facts.plan.map_sha256, None),
            *((file.name, file.sha256, file.size) for file in facts.files),
        ],
    }


def _word(state: State) -> str:
    return state.word.replace("_", " ")


def _row_numbers(rows: Sequence[int], count: int) -> str:
    shown = ", ".join(map(str, rows))
    return f"{shown} and {count - len(rows):,} more" if count > len(rows) else shown


def _doubt(row: StoredRow, keyed: bool) -> Sequence[Any]:
    return (row.row, row.line, *([row.key] if keyed else []), _cut(shown_reason(row)), row.request_id)


def _run(run: JobRun, words: ReportWords) -> Sequence[Any]:
    details = run.details
    return (
        f"{run.number}, undo" if details.get("command") == UNDO else run.number,
        shown_time(run.started_at),
        f"{run.ended_at - run.started_at:,.1f} s" if run.ended_at else "",
        _ending(run, words),
        f"{details.get('user') or 'unknown user'} on {details.get('host', '')}",
        f"{details.get('version', '')}",
        f"{details.get('engine') or 'one process'}",
    )


def _ending(run: JobRun, words: ReportWords) -> str:
    if run.ended_at is None:
        return "killed or still running"
    if (stopped := stop_of(run)) is not None:
        return _cut(f"stopped: {stopped.explained(words.remedy)}")
    if (error := failure_of(run)) is not None:
        return _cut(f"exit status {run.exit_status}: {error.explained(words.remedy)}")
    return "completed" if not run.exit_status else f"exit status {run.exit_status}"


def _about(facts: JobFacts, words: ReportWords) -> list[tuple[str, str]]:
    plan = facts.plan
    others = {name: value for name, value in plan.options.items() if name not in ("command", "global", TABLE)}
    return [
        ("Job", f"{plan.job}, in {facts.folder}"),
        ("Company", plan.company),
        ("Operation", plan.operation),
        ("Marker", plan.marker or "none: rows in doubt cannot be looked up"),
        ("File", f"{plan.file} ({plan.size:,} bytes)"),
        ("Command", words.command(facts.last_plan, facts.folder) or "none (started by a program)"),
        *((name.capitalize(), str(value)) for name, value in others.items()),
    ]
