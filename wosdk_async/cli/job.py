"""A job on the command line: its Company, input and files, and what ``jobs list`` and ``jobs show`` print."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import attrs
import click

from wosdk_async.cli.exit_codes import CliError, say
from wosdk_async.cli.import_arguments import saved_globals, saved_import
from wosdk_async.cli.options import TEMPORARY, target_of
from wosdk_async.cli.output.reporting import COMMAND_WORDS, MAX_NAME, command_of, say_kept
from wosdk_async.cli.runner import Runner, connected
from wosdk_async.cli.texts import counted, in_commands, message_of, plan_text, shell_words, visible
from wosdk_async.errors import ConfigurationError, WosdkError
from wosdk_async.jobs import ImportMap, ImportOptions, Source, open_source
from wosdk_async.jobs.journal import JobPlan, JobRun, Journal, row_table, run_table
from wosdk_async.jobs.journal.entries import as_last_given
from wosdk_async.jobs.journal.folder import last_file, plan_of
from wosdk_async.jobs.journal.worker_tables import audit_facts
from wosdk_async.jobs.ledger.facts import preview_of
from wosdk_async.jobs.ledger.overview import (
    COUNTED,
    UNDER_WAY,
    Overview,
    failure_of,
    overview,
    stop_of,
    unsent_warnings,
    why_no_audit,
)
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.jobs.ledger.request import ImportRequest, company_identity
from wosdk_async.jobs.ledger.terms import Plan
from wosdk_async.jobs.mapping.record_operations import operation_named
from wosdk_async.jobs.options import ExcelSeparator
from wosdk_async.jobs.report.facts import shown_time
from wosdk_async.jobs.report.outputs import write_outputs
from wosdk_async.jobs.sources.converted import off_the_loop
from wosdk_async.jobs.sources.table_rules import TableRules, require_table
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import one_line, shortened


@contextmanager
def company_of_job(ctx: click.Context, folder: Path, sandbox: Path | None) -> Iterator[Runner]:
    """Connect to a job's Company. Raises CliError if the options name another Company.

    ``sandbox`` is the store of a local Company (default: that of the last run).
    """
    plan = plan_of(folder, as_given=True)
    require_lasting(plan, folder)
    target = target_of(ctx)
    if target.read_only:
        raise CliError("--read-only: this command changes the job or the Company, so nothing is sent")
    saved = {name: value for name, value in saved_globals(plan.options).items() if not getattr(target, name)}
    arguments = saved_import(plan.options, folder)
    store = str(sandbox) if sandbox is not None else None if arguments is None else arguments.sandbox
    if store is not None and not Path(store).exists():
        raise CliError(f"{store}: the store of this job's local Company is missing; name it with --sandbox")
    with connected(attrs.evolve(target, **saved), store) as (runner, fingerprint):
        runner.run(runner.company.connect())
        found = fingerprint or company_identity(runner.company)
        if found != plan.company:
            raise CliError(f"the job in {folder} belongs to Company {plan.company!r}, not to {found!r}")
        yield runner


def require_lasting(plan: JobPlan, folder: Path) -> None:
    """Raise CliError if the job's Company was temporary and no longer exists."""
    arguments = saved_import(plan.options, folder)
    if arguments is not None and arguments.sandbox == TEMPORARY:
        raise CliError(
            f"{folder}: this job's Company was temporary (--sandbox without STORE.db), so "
            "the job cannot be resumed"
        )


def input_of(plan: JobPlan, folder: Path) -> Path:
    """Return the input file, which must exist; see :func:`last_file`."""
    if not (file := last_file(plan, folder)).is_file():
        text = f"{file}: this job's input file is missing; put it back, or if it was renamed, import it with"
        raise CliError(f"{text} {shell_words('--job', str(folder))}")
    return file


def source_of(plan: JobPlan, folder: Path) -> Source:
    """Open a job's input with the options in ``plan``."""
    arguments = saved_import(plan.options, folder)
    rules = TableRules.of_options(plan.options)
    reading = {"header_row": rules.header_row} if arguments is None else arguments.reading_with(rules)
    return open_source(input_of(plan, folder), **reading)


async def write_files(
    journal: Journal, excel: ExcelSeparator | None = None, *, changed: bool = True
) -> tuple[list[Path], bool]:
    """Rewrite a job's files. If the input file is missing, write only the files that do not need it.

    If outcomes have changed (``changed``), say that the import's ``--outcomes`` file is out of date. Return
    the written files, and whether all files were written.
    """
    plan = as_last_given(journal.plan, await journal.runs())
    try:
        source = await off_the_loop(source_of, plan, journal.folder)
    except (CliError, ConfigurationError) as error:
        why = error.explained(in_commands) if isinstance(error, ConfigurationError) else error.message
        say(f"rejects.csv and in_doubt.csv were not written: {why}")
        source = None
    arguments = saved_import(plan.options, journal.folder)
    excel = excel or (None if arguments is None else arguments.options.csv_for_excel)
    paths = await write_outputs(journal, source, csv_for_excel=excel, words=COMMAND_WORDS)
    say_kept(paths)
    if changed and arguments is not None and arguments.outcomes is not None:
        say(f"{arguments.outcomes} still has the import's outcomes; results.csv has the current ones")
    return paths, source is not None


# --- list and show --------------------------------------------------------------------------------

_FIRST = 5  # rows shown for each state


async def job_facts(folder: Path) -> dict[str, Any]:
    """Return the data that ``wosdk jobs show`` prints."""
    async with Journal.open(folder, snapshot=True) as journal:
        seen = await overview(journal)
        fine = {"done", "not_started", *(["sending"] if seen.running else [])}
        listed = {name: state for name, state in COUNTED.items() if name not in fine}
        first, first_gone = [
            {
                name: [_row(row) for row in rows]
                for name, state in listed.items()
                if (rows := await read_rows(state, limit=_FIRST))
            }
            for read_rows in (journal.file_rows, journal.gone_rows)
        ]
        shown = [row for rows in (*first.values(), *first_gone.values()) for row in rows]
        names = await journal.read(partial(row_table.names_of, numbers=[row["row"] for row in shown]))
        for row in shown:
            row["name"] = shortened(names.get(row["row"], ""), MAX_NAME)
        done = await journal.read(run_table.done_rows)
        references = Counter(
            f"{'created' if each.outcome == 'done' else each.outcome.replace('_', ' ')} for {each.reference}"
            for each in await journal.references()
        )
        return {
            **seen.as_dict(),
            "running": seen.running,
            "unsent_warnings": unsent_warnings(seen.unsent_elsewhere, seen.plan, folder, in_commands),
            "plan": attrs.asdict(seen.plan),
            "command": command_of(seen.given, folder),
            "runs": [_run_facts(run, done.get(run.number, 0)) for run in await journal.runs()],
            "references": dict(references),
            "first_rows": first,
            "first_gone_rows": first_gone,
            "resume": await _rerun_effect(seen),
            "workers": attrs.asdict(await journal.grant_totals()) if seen.audit != "none" else None,
            "audit": audit_facts(seen.audit, seen.audit_found, why_no_audit(seen.plan))
            if seen.audit != "none"
            else None,
            "audit_rows": [
                attrs.asdict(row) | {"state": row.state.name.lower(), "ids": list(row.ids)}
                for row in await journal.audit_rows(limit=_FIRST)
            ],
        }


def _run_facts(run: JobRun, done: int) -> dict[str, Any]:
    ends = {"stopped": stop_of(run), "error": failure_of(run)}
    shown = {name: error and error.explained(in_commands) for name, error in ends.items()}
    return {**attrs.asdict(run), "done": done, **shown}


def _row(row: Any) -> dict[str, Any]:
    names = ("row", "line", "key", "id", "number", "reason", "code", "request_id")
    return {name: value for name in names if (value := getattr(row, name)) is not None}


def print_jobs(file: IO[str], jobs: Iterable[Mapping[str, Any]]) -> None:
    """Print two lines per job: the job folder and the progress."""
    for job in jobs:
        sheet = f", sheet {job['sheet']!r}" if job["sheet"] else ""
        about = f"started {shown_time(job['begun'])}; {job['operation']}, {job['company']}{sheet}"
        undone = [f"{job['undone']} undone"] if job["undone"] else []
        left = _figures_text({**job, "done": job["done"] - job["undone"], "undone": 0})
        figures = ", ".join(filter(None, (left, *undone))) or "none"
        unsent = sum(job["unsent"].values())
        others = f", {counted(job['gone'], 'row')} of other files" if job["gone"] else ""
        others += f" ({unsent} not started)" if unsent else ""
        text = f"{job['state']}: {figures} of {counted(job['rows'], 'row')}{others}; {about}"
        file.write(f"{visible(job['folder'])}\n  {visible(text)}\n")


def _figures_text(job: Mapping[str, Any]) -> str:
    return ", ".join(f"{job[name]} {_count_label(name, job)}" for name in COUNTED if job[name])


def _count_label(name: str, job: Mapping[str, Any]) -> str:
    if name == "done" and job["undone"]:
        return f"done ({job['undone']} of them undone)"
    return UNDER_WAY if name == "sending" and job["state"] != "running" else name.replace("_", " ")


def print_job(facts: Mapping[str, Any]) -> None:
    """Print a job's facts on stdout."""
    for name, text in _lines(facts):
        click.echo(f"{name:<11}{one_line(str(text))}".rstrip())
    for name, rows in facts["first_rows"].items():
        _print_rows(_count_label(name, facts), rows, facts[name])
    for name, rows in facts["first_gone_rows"].items():
        _print_rows(f"{_count_label(name, facts)}, not in the last file", rows, facts["gone_states"][name])
    if facts["plan"]["marker"] is None and (facts["in_doubt"] or facts["gone_states"].get("in_doubt")):
        click.echo(f"\nto settle: {in_commands(Remedy.DECIDE_ROWS, facts)}")
    if facts["audit_rows"]:
        click.echo("\naudited rows (audit.csv has all):")
    for row in facts["audit_rows"]:
        ids = ", ".join(map(str, row["ids"])) or "none"
        where = f"row {row['row']} (line {row['line']}) {row['key']}"
        text = f"{where}: {row['finding']}, {row['state']}; ids {ids}"
        click.echo(f"  {visible(text)}")
    click.echo(f"\nif rerun: {visible(facts['resume'])}")


def _print_rows(label: str, rows: Sequence[Mapping[str, Any]], total: int) -> None:
    click.echo(f"\n{label}, {'the first ' if total > len(rows) else ''}{len(rows)}:")
    for row in rows:
        known = "".join(f" {row[each]}" for each in ("name", "id", "number") if row.get(each))
        reason = f": {row['reason']}" if row.get("reason") else ""
        text = f"row {row['row']} (line {row['line']}){known}{reason}"
        click.echo(f"  {visible(text)}")


def _lines(facts: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    plan = facts["plan"]
    gone = _figures_text(
        {**facts, **dict.fromkeys(COUNTED, 0), **facts["gone_states"], "undone": facts["gone_undone"]}
    )
    marker = f"marker {plan['marker']}" if plan["marker"] else "no marker"
    identity = f"rows identified by {plan['key'] or 'their cells'}"
    empty = f", {counted(plan['empty_rows'], 'empty row')} skipped" if plan["empty_rows"] else ""
    return [
        ("job", f"{plan['job']} in {facts['folder']}"),
        ("state", facts["state"] + (f" ({facts['running']})" if facts["running"] else "")),
        *([("undo", facts["undo"])] if facts["undo"] else ()),
        ("rows", f"{plan['rows']}: {_figures_text(facts) or 'none'}{empty}"),
        *(
            [("gone", f"{counted(facts['gone'], 'row')} not in the last file: {gone}")]
            if facts["gone"]
            else ()
        ),
        *(("unsent", text) for text in facts["unsent_warnings"]),
        ("file", f"{plan['file']} ({plan['size']} bytes, sha256 {plan['sha256'][:12]})"),
        ("company", plan["company"]),
        ("operation", f"{plan['operation']}, {marker}, {identity}"),
        ("started", shown_time(plan["created_at"])),
        ("command", facts["command"] or "none (started by a program)"),
        *_audit_lines(facts["workers"], facts["audit"]),
        *((f"run {run['number']}", _run(run)) for run in facts["runs"]),
        *(("records", f"{count} {label}") for label, count in facts["references"].items()),
    ]


def _audit_lines(
    workers: Mapping[str, Any] | None, audit: Mapping[str, Any] | None
) -> Iterable[tuple[str, str]]:
    if workers is None or audit is None:
        return
    lost = ""
    if workers["lost_leases"]:
        rows = counted(workers["lost_rows"], "row")
        lost = f", {workers['lost_leases']} lost with {rows}"
    yield "workers", f"{counted(workers['leases'], 'lease')} of rows granted{lost}"
    names = ("once", "missing", "twice", "unexpected", "another", "undecided", "not_made")
    counts = (f"{audit[name]} {name.replace('_', ' ')}" for name in names if audit.get(name))
    found = audit.get("why") or ", ".join(counts)
    yield "audit", f"{audit['state']}{f': {found}' if found else ''}"


def _run(run: Mapping[str, Any]) -> str:
    details, ended = run["details"], "no recorded end (killed or still running)"
    if run["ended_at"] is not None:
        ended = f"to {shown_time(run['ended_at'])}, exit status {run['exit_status']}"
    if command := details.get("command"):  # such as undo; empty for an import
        ended += f", {command}"
    elif file := details.get("file"):
        # A row counts only for the run that sent it last, so ``done`` may be 0.
        ended += f", {run['done']} done of {file}" if run["done"] else f", file {file}"
    ends = {"stopped": run["stopped"], "refused" if details.get("refused") else "error": run["error"]}
    why = "".join(f"; {name}: {text}" for name, text in ends.items() if text)
    who = f"{details.get('user')}@{details.get('host')} (process {details.get('pid')})"
    about = f"by {who}, version {details.get('version')}"
    if "limit" in details:  # missing for an undo
        rate = f"{details['rate']:g} calls/s" if isinstance(details.get("rate"), int | float) else "no rate"
        lease = f" (lease {details['lease']:g} s)" if isinstance(details.get("lease"), int | float) else ""
        where = f"{details.get('engine') or 'one process'}{lease}"
        about += f"; {where}, {rate}, {counted(details['limit'], 'call')} at a time"
    return f"{shown_time(run['started_at'])} {ended}, {about}{why}"


async def _rerun_effect(seen: Overview) -> str:
    """Read the file and map, and return what the last run's command would do now."""
    if seen.running is not None:
        return "refused while another process is running the job"
    try:
        effect = await asyncio.to_thread(_decision_text, seen)
    except CliError as error:  # the file is missing
        return f"refused: {error.message}"
    except WosdkError as error:
        return f"refused: {message_of(error)}"
    if seen.audit_left:
        found = "is due" if seen.audit_found is None else f"found {seen.audit_found}"
        effect += f"; the audit, which looks up every row's key, {found}"
    return effect


def _decision_text(seen: Overview) -> str:
    arguments = saved_import(seen.given.options, seen.folder)
    if arguments is None:
        return "rerun the program that started the job"
    import_map = ImportMap.load(arguments.map_file, operation=seen.plan.operation)
    options = ImportOptions(folder=seen.folder, resume=True, marker=arguments.options.marker)
    source = source_of(seen.given, seen.folder)
    require_table(source, import_map.rules, import_map.columns)
    request = ImportRequest(source=source, import_map=import_map, options=options).with_rules()
    with contextlib.closing(request.read()) as rows, preview_of(request, rows, seen.plan.company) as preview:
        decision = preview.decision
        if isinstance(decision, Plan):
            return plan_text(decision, operation_named(seen.plan.operation).label)
        return f"refused: {ImportRefusedError(decision).shown(in_commands)}"
