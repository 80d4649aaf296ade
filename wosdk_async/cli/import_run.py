"""One run of an import: its job, the question, progress, outcomes, signals and the summary."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import IO

import attrs

from wosdk_async import Company
from wosdk_async.cli.command_words import message_of
from wosdk_async.cli.exit_codes import CliError, Exit, say, saying_if_slow, writing
from wosdk_async.cli.import_options import ImportArguments
from wosdk_async.cli.local_company import TEMPORARY, company_variables, identity_of
from wosdk_async.cli.new_jobs import confirm_new_job
from wosdk_async.cli.output.cells import counted
from wosdk_async.cli.output.files import require_not_kept, require_not_needed, require_not_store
from wosdk_async.cli.output.going_on import say_earlier
from wosdk_async.cli.output.progress import RowProgress
from wosdk_async.cli.output.reporting import OutcomeWriter, print_summary, say_files
from wosdk_async.cli.runner import Runner, confirm
from wosdk_async.cli.stop_signals import StopSignals
from wosdk_async.errors import WosdkError
from wosdk_async.jobs import Import, ImportMap, ImportOptions, RowOutcome, Summary, tune_process
from wosdk_async.jobs.earlier_job import EarlierJob
from wosdk_async.jobs.given_import import GivenImport
from wosdk_async.jobs.importer import WORKERS_GRACE
from wosdk_async.jobs.inputs import open_input
from wosdk_async.jobs.journal.folder import ADDRESS
from wosdk_async.jobs.opening import company_identity
from wosdk_async.jobs.overview import overview
from wosdk_async.jobs.sources.spool import shown_source
from wosdk_async.options import DEFAULT_IN_FLIGHT, Limits
from wosdk_async.regular_files import open_user_path

__all__ = ["require_new", "require_outcomes", "run_import"]

FindEarlier = Callable[[str], Awaitable[EarlierJob | None]]
"""Returns the job of the same file, given what identifies the Company."""


def run_import(given: ImportArguments) -> int:
    """Carry out an import, or what is left of it, and return the exit status."""
    if given.target.read_only:
        raise CliError("--read-only: an import changes the Company, so nothing is sent")
    require_outcomes(given)
    tune_process()
    temporary = given.sandbox == TEMPORARY and given.job["folder"] is None  # the job ends with its Company
    with ExitStack() as exits:
        folder = given.job["folder"]
        if temporary:
            folder = Path(exits.enter_context(tempfile.TemporaryDirectory())) / "job"
        job, find_earlier = _job(given, folder)  # before the sandbox starts
        calls = given.job["limit"]
        variables = exits.enter_context(company_variables(given.sandbox))
        client = {
            "limits": Limits(connections=calls),
            "in_flight": calls,
            "adaptive": calls > DEFAULT_IN_FLIGHT,
        }
        runner = exits.enter_context(Runner(given.target, variables, rate=given.rate, **client))
        if given.job["again"] and not given.abandon:
            runner.run(
                _require_meant(find_earlier, runner.company, identity_of(variables), ask=not given.yes)
            )
        opened = runner.run(job.open(runner.company, identity=identity_of(variables)))
        exits.callback(lambda: runner.run(job.close()))
        if opened.new and given.outcomes is not None:
            require_new(given.outcomes, given.force)
            require_not_kept("--outcomes", given.outcomes)  # the folder of the job is there only now
        if not opened.new:
            runner.run(say_earlier(opened.journal, job.operation.label, opened.retried))
        if not opened.finished:
            for warning in (*opened.warnings, *job.warnings):
                say(f"warning: {warning}")
        if variables is None and not opened.finished:
            confirm(runner.company, counted(job.rows, "row"), job.operation.question, ask=not given.yes)
        signals = StopSignals(
            job.stop,
            grace=WORKERS_GRACE if given.make_pool is not None else None,
            on_first=lambda status: setattr(job, "exit_status", status),
        )
        lines = _lines(given.outcomes, anew=opened.new)
        try:
            summary = runner.run(_run(job, signals, lines, given, temporary), exit_soon=False)
        except WosdkError as error:
            if signals.status is None:
                raise
            say(message_of(error))
            return signals.status
    if summary.complete:
        return Exit.DONE
    return signals.status or Exit.SOME


def _job(given: ImportArguments, folder: Path | None) -> tuple[Import, FindEarlier]:
    """Return the import, and what finds the job of its file that is there."""
    import_map = ImportMap.load(given.map_file, operation=given.operation)
    with saying_if_slow(f"reading {shown_source(given.file)}"):
        found = open_input(given.file, folder, **given.reading)
    details = dict(given.job["details"])
    if found.address is not None:
        details[ADDRESS] = found.address
    workers = given.make_pool(say) if given.make_pool is not None else None
    options = ImportOptions(**{**given.job, "folder": found.folder, "details": details})
    job = Import(found.source, import_map, workers=workers, options=options)
    return job, lambda company: EarlierJob.of_import(
        GivenImport.of(found.source, import_map, company, options)
    )


async def _require_meant(
    find_earlier: FindEarlier, company: Company, identity: str | None, *, ask: bool
) -> None:
    """Raise CliError when a new job would leave an unfinished one of the same file, and that is not meant."""
    await company.connect()
    earlier = await find_earlier(identity or company_identity(company))
    if earlier is not None and earlier.is_left_behind:
        confirm_new_job(earlier, ask=ask)


async def _run(
    job: Import,
    signals: StopSignals,
    lines: IO[bytes] | nullcontext[None],
    given: ImportArguments,
    temporary: bool,
) -> Summary:
    with lines as file, signals.handled():  # both last until the summary is printed
        opened = await job.open()
        seen = None if opened.new else await overview(opened.journal)
        before = seen.ended() if seen else {}
        if opened.retried:  # they end anew
            before["failed"] -= opened.retried
        writer = OutcomeWriter(file, job.stop, before)
        for warning in job.warnings:  # said before the question
            writer.stage(f"warning: {warning}")
        done = job.rows - seen.left - opened.retried if seen else 0
        shown = not opened.finished
        with RowProgress(job.rows, done=done, shown=shown, workers=lambda: job.workers_now) as progress:

            def on_row(outcome: RowOutcome) -> None:
                writer.row(outcome)
                progress.add(1, writer.problems, failed=outcome.outcome == "failed")

            def on_stage(text: str) -> None:
                writer.stage(text)
                progress.stage(text)

            async with _saying_when_idle(progress):
                summary = await job.run(on_row=on_row, on_stage=on_stage)
        if temporary:  # it is deleted before anybody could look
            summary.folder, summary.files = None, []
        ended = f"the import has ended, {counted(summary.done, 'row')} {summary.label}"
        with writing(ended):
            writer.say_problems(summary, given.outcomes)
            say_files(
                summary, attrs.evolve(opened.plan, options={**opened.plan.options, **given.job["details"]})
            )
            print_summary(summary, given.as_json, ran=opened.new or not opened.finished)
        if summary.files_failed is not None:
            text = f"{ended}, but its files could not be written: {summary.files_failed}"
            if summary.all_ended:
                raise CliError(text, Exit.UNWRITTEN)
            say(text)
    return summary


@asynccontextmanager
async def _saying_when_idle(progress: RowProgress) -> AsyncIterator[None]:
    """Let the progress say within the block that nothing has happened for a while."""

    async def look() -> None:
        while True:
            await asyncio.sleep(1)
            progress.idle()

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        looking.cancel()


# --- the file of the outcomes ---------------------------------------------------------------


def require_outcomes(given: ImportArguments) -> None:
    """Raise CliError when the outcomes would overwrite a file that the import needs."""
    if given.outcomes is None:
        return
    require_not_needed("--outcomes", given.outcomes, Path(given.file), given.map_file)
    if given.sandbox is not None and given.sandbox != TEMPORARY:
        require_not_store("--outcomes", given.outcomes, Path(given.sandbox))
    require_not_kept("--outcomes", given.outcomes)


def require_new(outcomes: Path, force: bool) -> None:
    """Refuse to overwrite the outcomes of an earlier import: they may be the only list of what it created."""
    if not force and outcomes.is_file() and outcomes.stat().st_size:
        raise CliError(
            f"{outcomes} exists already, and may be the only list of what an earlier import created; "
            "name another file, or add --force to overwrite it"
        )


def _lines(outcomes: Path | None, *, anew: bool) -> IO[bytes] | nullcontext[None]:
    """Return the file for the outcomes; a job that goes on writes after those of its earlier runs."""
    if outcomes is None:
        return nullcontext()
    # Unbuffered: the line of a row is in the file even if the process is killed later.
    return open_user_path(outcomes, append=not anew, buffering=0)
