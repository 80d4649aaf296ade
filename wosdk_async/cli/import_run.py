"""One run of an import, from confirmation to summary."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import attrs

from wosdk_async.cli.exit_codes import CliError, Exit, reporting_if_slow, say, writing
from wosdk_async.cli.import_arguments import ImportArguments
from wosdk_async.cli.options import TEMPORARY
from wosdk_async.cli.output.files import (
    require_not_in_job,
    require_not_input,
    require_not_store,
    require_writable,
)
from wosdk_async.cli.output.progress import RowProgress
from wosdk_async.cli.output.reporting import (
    COMMAND_WORDS,
    OutcomeWriter,
    print_summary,
    rejects_of,
    say_doubts,
    say_files,
)
from wosdk_async.cli.runner import (
    confirm,
    connected,
    is_interactive,
    polling,
    require_yes,
)
from wosdk_async.cli.signals import StopSignals
from wosdk_async.cli.texts import counted, message_of, plan_text
from wosdk_async.errors import WosdkError
from wosdk_async.jobs import Import, ImportMap, RowOutcome, Summary, tune_process
from wosdk_async.jobs.cluster.messages import WorkerPool
from wosdk_async.jobs.imports.importer import WORKERS_GRACE
from wosdk_async.jobs.imports.inputs import open_input
from wosdk_async.jobs.imports.opening import OpenedJob
from wosdk_async.jobs.ledger.terms import Action
from wosdk_async.jobs.report.output_tables import IN_DOUBT
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.sources.spool import shown_source
from wosdk_async.options import DEFAULT_IN_FLIGHT, Limits
from wosdk_async.regular_files import open_user_path


def run_import(arguments: ImportArguments) -> int:
    """Run or resume an import, and return the exit status."""
    if arguments.target.read_only:
        raise CliError("--read-only: an import changes the Company, so nothing is sent")
    require_outcomes(arguments)
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
            require_new(arguments.outcomes, arguments.force)
            require_not_in_job("--outcomes", arguments.outcomes)  # again, now that the job folder exists
        _say_plan(opened, job)
        if opened.plan.leaves_done and not arguments.yes:
            _confirm_again(opened)
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
            file = exits.enter_context(open_user_path(arguments.outcomes, append=resumed, buffering=0))
        try:
            settle = runner.company.options.settle
            summary = runner.run(_run(job, signals, file, arguments, temporary, settle), exit_soon=False)
        except WosdkError as error:
            if signals.status is None:
                raise
            say(message_of(error))
            return signals.status
    if summary.complete:
        return Exit.DONE
    return signals.status or Exit.SOME


def _job(arguments: ImportArguments, folder: Path | None, workers: WorkerPool | None) -> Import:
    """Return the import of a file, after reading the rows."""
    import_map = ImportMap.load(arguments.map_file, operation=arguments.operation)
    with reporting_if_slow(f"reading {shown_source(arguments.file)}"):
        found = open_input(
            arguments.file, folder, **attrs.asdict(arguments.reading.with_rules(import_map.rules))
        )
        say_sheet(found.source)
        details = dict(arguments.options.details)
        if found.address is not None:
            details["address"] = found.address
        options = attrs.evolve(arguments.options, folder=found.folder, details=details)
        job = Import(found.source, import_map, workers=workers, report_words=COMMAND_WORDS, options=options)
        job.read()
    return job


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


def _confirm_again(opened: OpenedJob) -> None:
    """Ask whether to resend rows already done. Raises CliError unless the user agrees."""
    text = (
        f"{counted(opened.plan.leaves_done, 'row')} already done by the earlier job; --again resends all rows"
    )
    if opened.plan.resembling:
        text += f", including {opened.plan.resembling} whose key a spreadsheet may have changed"
    if is_interactive():
        say(text)
    require_yes("Send them again?", f"{text}; confirm with --yes")


async def _run(
    job: Import,
    signals: StopSignals,
    outcomes_file: IO[bytes] | None,
    arguments: ImportArguments,
    temporary: bool,
    settle: float,
) -> Summary:
    with signals.handled():  # until the summary is printed
        opened = await job.open()
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
            say_files(summary, attrs.evolve(about, options={**about.options, **arguments.options.details}))
            print_summary(summary, arguments.as_json, ran=not opened.is_idle)
        if summary.files_failed is not None:
            text = f"{ended}, but its files could not be written: {message_of(summary.files_failed)}"
            if summary.all_ended:
                raise CliError(text, Exit.UNWRITTEN)
            say(text)
    return summary


def require_outcomes(arguments: ImportArguments) -> None:
    """Raise CliError if the outcomes cannot be written, or would overwrite a file that the import needs."""
    if arguments.outcomes is None:
        return
    require_not_input("--outcomes", arguments.outcomes, Path(arguments.file), arguments.map_file)
    if arguments.sandbox is not None and arguments.sandbox != TEMPORARY:
        require_not_store("--outcomes", arguments.outcomes, Path(arguments.sandbox))
    require_not_in_job("--outcomes", arguments.outcomes)
    folder = arguments.options.folder or Path(f"{arguments.file}.job")
    if folder.absolute() not in arguments.outcomes.absolute().parents:  # inside it, the file is refused later
        require_writable(arguments.outcomes)


def require_new(outcomes: Path, force: bool) -> None:
    """Refuse to overwrite an import's outcomes, because they may be the only list of created records."""
    if not force and outcomes.is_file() and outcomes.stat().st_size:
        raise CliError(
            f"{outcomes} exists, and may be the only list of an earlier import's records; name another "
            "file, or add --force to overwrite it"
        )
