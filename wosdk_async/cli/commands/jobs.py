"""``wosdk jobs``: list, show, resume and settle import jobs, and rewrite their files."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wosdk_async.cli.commands.undo import undo_command
from wosdk_async.cli.exit_codes import CliError, Exit, say
from wosdk_async.cli.help import Group
from wosdk_async.cli.import_arguments import PARSER, ImportArguments, saved_arguments, saved_globals
from wosdk_async.cli.options import (
    Whole,
    excel_option,
    job_argument,
    json_option,
    sandbox_option,
    target_options,
    yes_option,
)
from wosdk_async.cli.output.files import opened, require_stdout
from wosdk_async.cli.signals import StopSignals
from wosdk_async.cli.texts import counted, json_text, message_of, shell_words, visible

if TYPE_CHECKING:
    from wosdk_async.company import Company
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.options import ExcelSeparator

T = TypeVar("T")

_PATH = click.Path(path_type=Path)
_NO_DOUBT = "no row is in doubt"


@click.group("jobs", cls=Group)
def jobs_command() -> None:
    """Show, resume, settle or undo imports.

    JOB is a job folder, such as requests.csv.job, or its input file if the file has only one job.
    """


jobs_command.add_command(undo_command)


@jobs_command.command("list")
@click.argument("place", type=_PATH, metavar="[DIR]", default=Path(), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines, one for each job.")
def list_command(place: Path, as_json: bool) -> None:
    """List the jobs below DIR, or those of an input file, newest first."""
    from wosdk_async.cli.job import print_jobs
    from wosdk_async.jobs.errors import JournalError
    from wosdk_async.jobs.journal.folder import jobs_below, jobs_of_file
    from wosdk_async.jobs.ledger.overview import overview

    if not place.exists():
        raise CliError(f"{place}: no such directory or file")
    jobs, unreadable = [], 0
    for folder in jobs_below(place) if place.is_dir() else jobs_of_file(place):
        try:
            jobs.append(_with_journal(folder, overview, snapshot=True))
        except JournalError as error:
            unreadable += 1
            say(message_of(error))
    jobs.sort(key=lambda job: job.plan.created_at, reverse=True)
    with opened() as file:
        if as_json:
            file.write("".join(f"{json_text(job.as_dict())}\n" for job in jobs))
        else:
            print_jobs(file, [job.as_dict() for job in jobs])
    if not jobs and not unreadable:
        say(f"no jobs in {place}")
    if unreadable:
        sys.exit(Exit.UNUSABLE)


def _with_journal(
    folder: Path, use: Callable[[Journal], Coroutine[Any, Any, T]], *, snapshot: bool = False
) -> T:
    from wosdk_async.jobs.journal import Journal

    async def used() -> T:
        async with Journal.open(folder, snapshot=snapshot) as journal:
            return await use(journal)

    return asyncio.run(used())


@jobs_command.command(short_help="Show a job: plan, counts, runs, problem rows.")
@job_argument
@json_option
def show(folder: Path, as_json: bool) -> None:
    """Show a job's plan, counts, runs and problem rows, and what a resume would do.

    This works even while the job is running.
    """
    require_stdout()
    from wosdk_async.cli.job import job_facts, print_job

    facts = asyncio.run(job_facts(folder))
    if as_json:
        click.echo(json_text(facts))
    else:
        print_job(facts)


@jobs_command.command()
@job_argument
@click.option("--outcomes", type=_PATH, metavar="FILE", help="Append outcomes as JSON lines.")
@json_option
@yes_option
@target_options(hidden=True)
@click.pass_context
def resume(ctx: click.Context, folder: Path, outcomes: Path | None, as_json: bool, yes: bool) -> None:
    """Resume a job: send the remaining rows.

    The file, map, marker, Company and options of the last run apply. To change any of these, rerun the import
    command; `wosdk jobs show` prints it. The options --outcomes, --again, --new-rows, --retry-refused and
    --retry-undone do not carry over.
    """
    require_stdout()
    from wosdk_async.cli.import_run import run_import
    from wosdk_async.cli.job import input_of, require_lasting
    from wosdk_async.jobs.journal.folder import plan_of

    plan = plan_of(folder, as_given=True)
    require_lasting(plan, folder)
    file = input_of(plan, folder)
    before = saved_arguments(plan.options, folder)
    # The saved --outcomes is ignored: anyone who can edit the job folder could point it at any file.
    files = [each for each in before if each.startswith("--outcomes=")]
    if files and outcomes is None:
        say(f"not writing outcomes; to append to the last run's file, add {shell_words(*files)}")
    before = [each for each in before if each not in files]
    flags = {"--json": as_json, "--yes": yes, f"--outcomes={outcomes}": outcomes is not None}
    options = [option for option, is_set in flags.items() if is_set]
    arguments = [str(file), *before, *options, "--resume", f"--job={folder.absolute()}"]
    shared = ctx.find_root().ensure_object(dict)
    for name, value in saved_globals(plan.options).items():
        shared.setdefault(name, value)
    sys.exit(run_import(ImportArguments.of(PARSER.make_context("import", arguments, parent=ctx.parent))))


@jobs_command.command(short_help="Rewrite a job's files.")
@job_argument
@excel_option
def rejects(folder: Path, csv_for_excel: ExcelSeparator | None) -> None:
    """Rewrite a job's results.csv, rejects.csv, in_doubt.csv and report.

    rejects.csv contains the failed rows: correct the cells, then import the file. If the input file is
    missing, only results.csv and the report are written, with exit status 2.
    """
    from wosdk_async.cli.job import write_files

    paths, complete = _with_journal(
        folder, lambda journal: write_files(journal, csv_for_excel, changed=False)
    )
    _print_paths(paths)
    if not complete:
        sys.exit(Exit.UNUSABLE)


@jobs_command.command(short_help="Rewrite a job's report.")
@job_argument
def report(folder: Path) -> None:
    """Rewrite a job's report.html and report.json."""
    from wosdk_async.cli.output.reporting import COMMAND_WORDS, say_kept
    from wosdk_async.jobs.report.outputs import write_report

    paths = _with_journal(folder, lambda journal: write_report(journal, words=COMMAND_WORDS))
    say_kept(paths)
    _print_paths(paths)


def _print_paths(paths: list[Path]) -> None:
    for path in paths:
        click.echo(visible(str(path)))


@jobs_command.command("settle")
@job_argument
@click.argument("decision", type=click.Choice(["created", "not-created"]), required=False)
@click.argument("id", type=Whole(1), required=False)
@click.option("--row", type=Whole(1), metavar="N", help="Row to settle by hand.")
@click.option("--all", "all_rows", is_flag=True, help="Settle all rows in doubt as not-created.")
@sandbox_option
@json_option
@target_options(hidden=True)
@click.pass_context
def settle_command(
    ctx: click.Context,
    folder: Path,
    decision: str | None,
    id: int | None,
    row: int | None,
    all_rows: bool,
    sandbox: Path | None,
    as_json: bool,
) -> None:
    """Find the outcome of rows in doubt.

    Rows with a marker are looked up; a resume sends rows that are confirmed absent. For other rows, check in
    the Company and record the outcome with --row; ID is the record's id, not its number. You can change a
    decision until a run sends the row.

    \b
      wosdk jobs settle requests.csv.job
      wosdk jobs settle requests.csv.job --row 7 created 90417
      wosdk jobs settle requests.csv.job --row 7 not-created
      wosdk jobs settle requests.csv.job --all not-created

    Exit status: 0 no rows in doubt, 1 some rows in doubt, 2 rows cannot be looked up.
    """
    by_hand = row is not None or all_rows
    wrong = by_hand != (decision is not None) or (id is None) == (decision == "created")
    if wrong or (all_rows and (row is not None or decision == "created")):
        raise click.UsageError(
            "write --row N created ID, --row N not-created or --all not-created; omit these to look rows up"
        )
    require_stdout()
    if not by_hand:
        status = _settle(ctx, folder, sandbox, as_json)
    elif id is None:
        status = asyncio.run(_decide(folder, row, None, None))
    else:
        from wosdk_async.cli.job import company_of_job

        with company_of_job(ctx, folder, sandbox) as runner:
            status = runner.run(_decide(folder, row, id, runner.company))
    sys.exit(status)


async def _decide(folder: Path, row: int | None, id: int | None, company: Company | None) -> Exit:
    from wosdk_async.cli.job import write_files
    from wosdk_async.jobs.imports.verification import decide
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.journal.run_table import user_name
    from wosdk_async.protocol.writes import UNDECIDED

    async with Journal.open(folder) as journal:
        who = f"{user_name() or 'unknown user'} at {datetime.now(UTC).isoformat(timespec='seconds')}"
        doubts = journal.pages(*UNDECIDED)
        rows = [row] if row is not None else [each.row async for page in doubts for each in page]
        if not rows:
            say(_NO_DOUBT)
        for each in rows:
            shown = await decide(journal, each, id, who, company=company, on_stage=say)
            if id is not None:
                say(f"row {each}: created as {id}{f' ({shown})' if shown else ''}")
        if rows and id is None:
            what = counted(len(rows), "row") if row is None else f"row {row}"
            say(f"{what} not created; to send: {shell_words('wosdk', 'jobs', 'resume', str(folder))}")
        await write_files(journal)
        if left := _count_in_doubt(journal):
            say(f"rows still in doubt: {left}")
        return Exit.SOME if left else Exit.DONE


def _settle(ctx: click.Context, folder: Path, sandbox: Path | None, as_json: bool) -> int:
    from wosdk_async.cli.job import company_of_job, write_files
    from wosdk_async.jobs.imports.verification import settle_job
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.stop import Stop

    stop = Stop()
    signals = StopSignals(stop.ask)
    with company_of_job(ctx, folder, sandbox) as runner:

        async def settled() -> tuple[dict[str, int], int]:
            async with Journal.open(folder) as journal:
                with signals.handled():
                    try:
                        figures = await settle_job(journal, runner.company, on_stage=say, stop=stop)
                    finally:  # if a look-up fails, rows may already be decided, and the files must show them
                        await write_files(journal)
                return figures, _count_in_doubt(journal)

        figures, left = runner.run(settled(), exit_soon=False)
    if as_json:
        click.echo(json_text({**figures, "in_doubt": left}))
    elif not (figures["looked_up"] or left):
        say(_NO_DOUBT)
    else:
        click.echo(
            f"{counted(figures['looked_up'], 'row')} looked up: {figures['found']} found, "
            f"{figures['not_there']} absent (a resume sends them), {left} in doubt"
        )
    return signals.status or (Exit.SOME if left else Exit.DONE)


def _count_in_doubt(journal: Journal) -> int:
    from wosdk_async.jobs.journal import State

    counts = journal.counts(), journal.counts(gone=True)
    return sum(each[state] for each in counts for state in (State.IN_DOUBT, State.SENDING))
