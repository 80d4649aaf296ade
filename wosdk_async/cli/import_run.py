"""One run of an import, from confirmation to summary; dry run for ``--check``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Any

import attrs
import click

from wosdk_async.cli.exit_codes import CliError, Exit, reporting_if_slow, say, writing
from wosdk_async.cli.import_arguments import ImportArguments
from wosdk_async.cli.options import TEMPORARY
from wosdk_async.cli.output.files import replacing_csv, require_not_in_job
from wosdk_async.cli.output.progress import RowProgress
from wosdk_async.cli.output.reporting import (
    COMMAND_WORDS,
    OutcomeWriter,
    print_summary,
    rejects_of,
    say_cause,
    say_doubts,
    say_files,
    shown_remedies,
)
from wosdk_async.cli.runner import (
    confirm,
    connected,
    is_interactive,
    polling,
    require_yes,
)
from wosdk_async.cli.signals import StopSignals
from wosdk_async.cli.texts import counted, in_commands, json_text, message_of, plan_text, visible
from wosdk_async.errors import WosdkError
from wosdk_async.jobs import Import, ImportMap, RowOutcome, Summary, tune_process
from wosdk_async.jobs.cluster.messages import WorkerPool
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.imports.check import Check
from wosdk_async.jobs.imports.check_result import FINDINGS, CheckResult, Finding
from wosdk_async.jobs.imports.importer import WORKERS_GRACE
from wosdk_async.jobs.imports.inputs import Input, open_input
from wosdk_async.jobs.imports.opening import OpenedJob
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.jobs.ledger.request import company_identity
from wosdk_async.jobs.ledger.terms import Action, Plan, Refusal
from wosdk_async.jobs.options import IfExists
from wosdk_async.jobs.report.output_tables import IN_DOUBT
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.sources.spool import is_remote, shown_source
from wosdk_async.options import DEFAULT_IN_FLIGHT, Limits
from wosdk_async.options.hooks import DryRun
from wosdk_async.regular_files import open_user_path
from wosdk_async.text.formula_guard import without_formulas
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import one_line


def run_import(arguments: ImportArguments) -> int:
    """Run or resume an import, and return the exit status."""
    if arguments.target.read_only:
        raise CliError("--read-only: an import changes the Company, so nothing is sent")
    arguments.require_outcomes()
    tune_process()
    # Without a STORE or --job, the job folder is deleted together with the temporary Company.
    temporary = arguments.sandbox == TEMPORARY and arguments.options.folder is None
    workers = arguments.workers(say)
    with ExitStack() as exits:
        folder = arguments.options.folder
        if temporary:
            folder = Path(exits.enter_context(tempfile.TemporaryDirectory())) / "job"
        job = _job(arguments, folder, workers)  # first, so that no sandbox starts for an invalid file
        calls = arguments.options.concurrency
        client = {
            "limits": Limits(connections=calls),
            "in_flight": calls,
            "adaptive": calls > DEFAULT_IN_FLIGHT,
        }
        connection = connected(arguments.target, arguments.sandbox, rate=arguments.rate, **client)
        runner, store = exits.enter_context(connection)
        opened = runner.run(job.open(runner.company, identity=store))
        exits.callback(lambda: runner.run(job.close()))
        if opened.new and arguments.outcomes is not None:
            arguments.require_new_outcomes()
            require_not_in_job("--outcomes", arguments.outcomes)  # again, now that the job folder exists
        _say_plan(opened, job)
        if (opened.plan.leaves_done or opened.plan.resembling) and not arguments.yes:
            _confirm_again(opened, arguments.options.if_exists)
        if store is None and opened.plan.rows(Action.SEND, Action.LOOK_UP):
            doubts = f", {opened.plan.doubts} in doubt to look up first" if opened.plan.doubts else ""
            rows = f"{opened.plan.rows(Action.SEND)} of {counted(job.rows, 'row')} to send{doubts}"
            confirm(runner.company, rows, job.operation.question, ask=not arguments.yes)

        def stop() -> None:
            job.exit_status = signals.status or Exit.SOME
            job.stop()

        signals = StopSignals(stop, grace=WORKERS_GRACE if workers is not None else None)
        file = None
        if arguments.outcomes is not None:  # unbuffered, so that a kill loses no lines
            resumed = not (opened.new or arguments.force)
            mode = arguments.outcomes_mode
            file = open_user_path(arguments.outcomes, append=resumed, buffering=0, mode=mode)
            exits.enter_context(file)
        try:
            settle = runner.company.options.settle
            running = _run(job, opened, signals, file, arguments, temporary, settle)
            summary = runner.run(running, exit_soon=False)
        except WosdkError as error:
            if signals.status is None:
                raise
            say(message_of(error))
            return signals.status
    if summary.complete:
        return Exit.DONE
    return signals.status or Exit.SOME


def _job(arguments: ImportArguments, folder: Path | None, workers: WorkerPool | None) -> Import:
    import_map = ImportMap.load(arguments.map_file, operation=arguments.operation)
    with reporting_if_slow(f"reading {shown_source(arguments.file)}"):
        found = _opened_input(arguments, import_map, folder)
        details = dict(arguments.options.details)
        if found.address is not None:
            details["address"] = found.address
        options = attrs.evolve(arguments.options, folder=found.folder, details=details)
        job = Import(found.source, import_map, workers=workers, report_words=COMMAND_WORDS, options=options)
        job.read()
    return job


def _opened_input(arguments: ImportArguments, import_map: ImportMap, folder: Path | None) -> Input:
    try:
        found = open_input(arguments.file, folder, **arguments.reading_with(import_map.rules))
    except ImportMapError as error:
        if error.facts.get("option") == "header_row" and arguments.reading["header_row"] is None:
            error.remedies = (Remedy.NO_HEADER_ROW,)
        raise
    say_sheet(found.source)
    return found


def say_sheet(source: Source) -> None:
    """Print which sheet of a workbook is read."""
    if (sheet := getattr(source, "sheet", None)) is not None:
        say(f"{source.path}: reading sheet {sheet!r}")


def _say_plan(opened: OpenedJob, job: Import) -> None:
    """Print the job's warnings and, after an earlier run or job, what will be sent or skipped, and why."""
    if not opened.new or opened.plan.leaves_done:
        say(f"{opened.folder}: {plan_text(opened.plan, job.operation.label)}")
    for warning in job.warnings:
        say(f"warning: {warning}")
    if not opened.is_idle:
        return
    plan = opened.plan
    if plan.rows(Action.KEEP, Action.REFUSE):
        say(f"failed rows with reasons: {rejects_of(opened.folder)}")
    if plan.rows(Action.LEAVE):
        say_doubts(opened.folder / IN_DOUBT, opened.about)


def _confirm_again(opened: OpenedJob, if_exists: IfExists) -> None:
    """Ask whether to resend rows that are done already. Raises CliError unless the user agrees."""
    plan = opened.plan
    facts = [f"an earlier job has completed {counted(plan.leaves_done, 'row')}"] if plan.leaves_done else []
    if plan.resembling:
        facts.append(
            f"the file has {counted(plan.resembling, 'row')} whose key a spreadsheet may have changed"
        )
    text = f"{', and '.join(facts)}; --again resends all rows"
    if opened.about.marker is not None and opened.about.key is not None and if_exists == "fail":
        text += ", and rows whose keys exist will fail unless you first undo the job or add --if-exists skip"
    if is_interactive():
        say(text)
    require_yes("Send them again?", f"{text}; confirm with --yes")


async def _run(
    job: Import,
    opened: OpenedJob,
    signals: StopSignals,
    outcomes_file: IO[bytes] | None,
    arguments: ImportArguments,
    temporary: bool,
    settle: float,
) -> Summary:
    with signals.handled():  # until the summary is printed
        writer = OutcomeWriter(outcomes_file, job.stop)
        for warning in job.warnings:  # printed before the prompt, so the summary must not repeat them
            writer.note_printed(f"warning: {warning}")
        skipped, shown = opened.plan.rows(Action.SKIP), not opened.is_idle
        with RowProgress(
            job.rows, done=skipped, shown=shown, workers=lambda: job.workers_now, settle=settle
        ) as progress:

            def on_row(outcome: RowOutcome) -> None:
                writer.row(outcome)
                progress.add(1, writer.problems, failed=outcome.outcome in ("failed", "not_started"))

            def on_stage(text: str) -> None:
                writer.note_printed(text)
                progress.stage(text)

            async with polling(1.0, progress.idle):
                summary = await job.run(on_row=on_row, on_stage=on_stage)
        summary.files_failed = summary.files_failed or writer.failed
        if temporary:  # the summary must not name files that are deleted at exit
            summary.folder, summary.files = None, []
        ended = f"the import ended, {counted(summary.remaining, 'row')} {summary.label}"
        with writing(ended, status=Exit.UNWRITTEN if summary.all_ended else Exit.SOME):
            writer.say_problems(summary, arguments.outcomes, again=arguments.options.again)
            about = opened.about
            about = attrs.evolve(about, options={**about.options, **arguments.options.details})
            say_files(summary, about, writer.existing)
            print_summary(summary, arguments.as_json, ran=not opened.is_idle)
        if summary.files_failed is not None:
            text = f"{ended}, but its files could not be written: {message_of(summary.files_failed)}"
            if summary.all_ended:
                raise CliError(text, Exit.UNWRITTEN)
            say(text)
    return summary


# --- the check -------------------------------------------------------------------------------------

_SHOWN = 10  # maximum causes not in _NAMED, and maximum warnings
_VALUES = 20  # maximum values shown for a cause
_NAMED = ("missing", "ambiguous")  # causes that are always shown, because they name a wrong value
_COLUMNS = ("row", "line", "outcome", "key", "ids", "reason", "warnings")  # of the --outcomes of a check


def check_import(arguments: ImportArguments) -> Exit:
    """Print what an import would do, and return the exit status."""
    arguments.require_outcomes()
    arguments.require_new_outcomes()
    import_map = ImportMap.load(arguments.map_file, operation=arguments.operation)
    sandbox = arguments.sandbox
    if sandbox is not None and sandbox != TEMPORARY and not Path(sandbox).exists():
        sandbox = TEMPORARY  # a temporary store has the same records as a new one at this path
    workers = arguments.workers(say)
    with ExitStack() as exits:
        folder = arguments.options.folder
        if is_remote(arguments.file):  # the downloaded copy is deleted after the check
            folder = Path(exits.enter_context(tempfile.TemporaryDirectory())) / "job"
        with reporting_if_slow(f"reading {shown_source(arguments.file)}"):
            found = _opened_input(arguments, import_map, folder)
        dry = DryRun()
        options = attrs.evolve(arguments.options, folder=folder)
        check = Check(
            found.source,
            import_map,
            dry,
            options=options,
            sample=arguments.sample,
            rate=arguments.rate,
            workers=workers,
            words=COMMAND_WORDS,
        )
        # Not read-only, so that the hook ``dry`` gets the calls that would change something. The hook stops
        # all of them.
        target = attrs.evolve(arguments.target, read_only=False)
        connection = connected(target, sandbox, rate=arguments.rate, before_send=dry)
        runner, store = exits.enter_context(connection)
        runner.run(runner.company.connect())
        identity = store or company_identity(runner.company)
        on_row = None
        if arguments.outcomes is not None:
            write = exits.enter_context(replacing_csv(arguments.outcomes, _COLUMNS, arguments.outcomes_mode))
            on_row = partial(_write_row, write)
        result = runner.run(check.run(runner.company, identity=identity, on_row=on_row))
    if arguments.as_json:
        click.echo(json_text(result.as_dict()))
    else:
        _print(result, arguments.outcomes)
    if isinstance(result.decision, Refusal):
        refused = ImportRefusedError(result.decision)
        raise CliError(f"the import would be refused: {refused.shown(in_commands)}")
    return Exit.DONE if result.complete else Exit.SOME


def _write_row(write: Callable[[Iterable[Any]], None], row: Finding) -> None:
    texts = (row.key, " ".join(map(str, row.ids)), row.reason, "; ".join(row.warnings))
    write((row.row, row.line, row.kind, *(without_formulas(one_line(text)) for text in texts)))


def _print(result: CheckResult, outcomes: Path | None) -> None:
    written = "nothing was written" if outcomes is None else f"nothing was written except {outcomes}"
    if isinstance(result.decision, Refusal):  # counts would mislead, because no row would be sent
        say(written)
        return
    sample = f", {result.checked} of them checked" if result.checked != result.rows else ""
    empty = f"; {counted(result.empty_rows, 'empty row')} skipped" if result.empty_rows else ""
    verb = "carried out" if result.label == "done" else result.label
    words = {**FINDINGS, "would_send": f"would be {verb}"}
    counts = ", ".join(f"{result.counts[kind]} {words[kind]}" for kind in FINDINGS if result.counts[kind])
    click.echo(f"{counted(result.rows, 'row')}{sample}: {counts or 'none'}{empty}")
    if result.sent_again:
        click.echo(f"{counted(result.sent_again, 'row')} that failed before would be retried")
    if result.lacking:
        click.echo(f"{counted(result.lacking, 'row')} would probably be refused; see the warnings")
    for name, number in result.new_records.items():
        click.echo(f"{counted(number, 'record')} for {visible(name)} would be created first")
    # An estimate below one second is left out, because the client itself takes longer than the calls.
    seconds = result.seconds or 0
    duration = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
    estimate = "" if seconds < 1 else f", about {duration}"
    click.echo(f"{counted(result.calls, 'call')}{estimate}")
    if result.job is not None and isinstance(result.decision, Plan):
        text = plan_text(result.decision, result.label)
        click.echo(f"job in {visible(str(result.job.folder))}: {visible(text)}")
    click.echo("\ncolumns and filled rows")
    total = f"{result.rows:,}"
    for name, filled in result.filled.items():
        unused = "" if name in result.used else "  not used by the map"
        click.echo(f"  {filled:>{len(total)},} of {total}  {visible(name)}{unused}")
    if result.requests:
        click.echo(
            "\nfirst requests" + (", with 1 in place of the ids of new records" if result.new_records else "")
        )
        for request in result.requests:
            click.echo(f"  row {request['row']}: {request['method']} {request['path']}")
            if request["body"] is not None:
                click.echo(f"    {json_text(request['body'])}")
    _print_problems(result, outcomes)
    for each in (*result.lacks.values(), *result.cautions.values()):
        say_cause(f"warning: {each.reason}", [each.first, *each.more], each.count)
    for warning in result.warnings[:_SHOWN]:
        say(f"warning: {warning}")
    say(written)


def _print_problems(result: CheckResult, outcomes: Path | None) -> None:
    """Print why rows would not be sent: wrong names first, then the most frequent causes."""
    causes = sorted(result.causes.values(), key=lambda each: (each.kind not in _NAMED, -each.count))
    shown = causes[: sum(each.kind in _NAMED for each in causes) + _SHOWN]
    for each in shown:
        reason = f": {each.reason}" if each.reason else ""
        say_cause(f"{FINDINGS[each.kind]}{reason}", [each.first, *each.more], each.count)
        if len(each.values) > 1:
            common = each.values.most_common(_VALUES)
            values = ", ".join(f"{value} ({count})" if count > 1 else value for value, count in common)
            say(f"values: {values}{', ...' if len(each.values) > _VALUES else ''}")
    if result.existing:
        say(shown_remedies(result.existing))
    if len(causes) > len(shown):
        say(f"and {counted(len(causes) - len(shown), 'more cause')}")
    if result.problems > len(shown):
        say(f"{outcomes} has all rows" if outcomes else "to list all rows, add --outcomes FILE.csv")
