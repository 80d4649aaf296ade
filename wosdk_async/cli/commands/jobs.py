"""``wosdk jobs``: what imports have done, and what remains; rows in doubt are settled."""

from __future__ import annotations

import asyncio
import getpass
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.commands.undo import undo_command
from wosdk_async.cli.exit_codes import CliError, Exit, say
from wosdk_async.cli.help import Group
from wosdk_async.cli.import_arguments import (
    changed_arguments,
    given_arguments,
    kept_arguments,
    kept_globals,
)
from wosdk_async.cli.import_options import RUN_NAMES, excel_option, run_options
from wosdk_async.cli.job_context import (
    company_of_job,
    input_of,
    require_lasting,
    write_files,
)
from wosdk_async.cli.options import job_argument, json_option, output_options, target_options, yes_option
from wosdk_async.cli.output.files import Output, opened, require_not_needed, require_stdout
from wosdk_async.cli.texts import counted, json_text, message_of, shell_words, visible

if TYPE_CHECKING:
    from wosdk_async.company import Company
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.ledger.overview import Overview
    from wosdk_async.jobs.options import ExcelSeparator

__all__ = ["jobs_command"]

_PATH = click.Path(path_type=Path)


@click.group("jobs", cls=Group)
def jobs_command() -> None:
    """Show imports that ran or were stopped; resume, settle or undo them.

    JOB is the folder of a job, such as requests.csv.job, or the file of its rows if that has one job only.
    """


jobs_command.add_command(undo_command)


@jobs_command.command("list")
@click.argument("place", type=_PATH, metavar="[DIR]", default=Path(), required=False)
@output_options
def list_command(place: Path, result: Output) -> None:
    """List the jobs below DIR, or beside a file, the newest first."""
    from wosdk_async.cli.job_view import print_jobs
    from wosdk_async.cli.output.formats import write_rows
    from wosdk_async.jobs.errors import JournalError
    from wosdk_async.jobs.journal.folder import jobs_below, jobs_of

    if not place.exists():
        raise CliError(f"{place}: there is no such directory or file")
    jobs, unreadable = [], 0
    for folder in jobs_below(place) if place.is_dir() else jobs_of(place):
        try:
            jobs.append(asyncio.run(_overview_of(folder)))
        except JournalError as error:
            unreadable += 1
            say(message_of(error))
    if result.path is not None:  # the input of a job is often the only copy
        require_not_needed("--output", result.path, place, *(Path(job.plan.file) for job in jobs))
    jobs.sort(key=lambda job: job.plan.created_at, reverse=True)
    rows = [job.as_dict() for job in jobs]
    if result.format == "table":
        with opened(result) as file:
            print_jobs(file, rows)
    else:
        write_rows(result, rows, list(rows[0]) if rows else [])
    if not rows and not unreadable:
        say(f"there are no jobs in {place}")
    if unreadable:
        sys.exit(Exit.UNUSABLE)


async def _overview_of(folder: Path) -> Overview:
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.ledger.overview import overview

    async with Journal.open(folder, snapshot=True) as journal:
        return await overview(journal)


@jobs_command.command(short_help="Show plan, counts, runs, and what the same command would do.")
@job_argument
@json_option
def show(job: Path, as_json: bool) -> None:
    """Show the plan of a job, its counts and runs, rows that need care, and what a resume would do.

    It works beside a running job, too.
    """
    require_stdout()
    from wosdk_async.cli.job_view import job_facts, print_job
    from wosdk_async.jobs.journal.folder import folder_of

    facts = asyncio.run(job_facts(folder_of(job)))
    if as_json:
        click.echo(json_text(facts))
    else:
        print_job(facts)


@jobs_command.command()
@job_argument
@run_options
@click.option("--one-process", is_flag=True, help="Send the rows from this process, and not from workers.")
@click.option(
    "--outcomes", type=_PATH, metavar="OUT.jsonl", help="Append one JSON line for each row to this file."
)
@json_option
@yes_option
@target_options(hidden=True)
@click.pass_context
def resume(
    ctx: click.Context,
    /,
    job: Path,
    one_process: bool,
    outcomes: Path | None,
    as_json: bool,
    yes: bool,
    **_: Any,
) -> None:
    """Resume a job as its last run was started: send the rows of its file that are not done.

    File, map, marker, Company and other options are those of the last run that began. Options given here
    take their place. --outcomes, --again, --new-rows, --retry-refused and --retry-undone are never repeated.
    No new job begins.
    """
    from wosdk_async.cli.commands.import_ import import_command
    from wosdk_async.jobs.journal.folder import folder_of, plan_as_last_given

    folder = folder_of(job)
    plan = plan_as_last_given(folder)
    require_lasting(plan, folder)
    file = input_of(plan, folder)
    changes = given_arguments(ctx, (*RUN_NAMES, "outcomes"))
    before = kept_arguments(plan.options, folder)
    files = [each for each in before if each.startswith("--outcomes=")]  # others may have put it there
    if files and outcomes is None:
        say(f"no outcomes are written; to append to those of the last run, add {shell_words(*files)}")
    before = [each for each in before if each not in files]
    kept = changed_arguments(before, changes, one_process=one_process)
    arguments = [str(file), *kept, "--resume", f"--job={folder.absolute()}"]
    arguments += [*(["--json"] if as_json else []), *(["--yes"] if yes else [])]
    shared = ctx.find_root().ensure_object(dict)
    for name, value in kept_globals(plan.options).items():
        shared.setdefault(name, value)
    with import_command.make_context("import", arguments, parent=ctx.parent) as again:
        import_command.invoke(again)


@jobs_command.command(short_help="Write the files of a job again.")
@job_argument
@excel_option
def rejects(job: Path, csv_for_excel: ExcelSeparator | None) -> None:
    """Write results.csv, rejects.csv, in_doubt.csv and the report of a job again.

    rejects.csv has the rows that failed, as they stand in the file; correct it, and import it as it is.
    """
    _print_files(asyncio.run(_rewritten(job, csv_for_excel)))


@jobs_command.command()
@job_argument
def report(job: Path) -> None:
    """Write report.html and report.json of a job again."""
    _print_files(asyncio.run(_rewritten_report(job)))


async def _rewritten(job: Path, excel: ExcelSeparator | None) -> list[Path]:
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.journal.folder import folder_of

    async with Journal.open(folder_of(job)) as journal:
        return await write_files(journal, excel, require_input=True)


async def _rewritten_report(job: Path) -> list[Path]:
    from wosdk_async.cli.output.reporting import COMMAND_WORDS, say_kept
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.journal.folder import folder_of
    from wosdk_async.jobs.report.outputs import write_report

    async with Journal.open(folder_of(job)) as journal:
        files = await write_report(journal, words=COMMAND_WORDS)
    say_kept(files)
    return files


def _print_files(paths: list[Path]) -> None:
    for path in paths:
        click.echo(visible(str(path)))


@jobs_command.command("settle")
@job_argument
@click.argument("decision", type=click.Choice(["created", "not-created"]), required=False)
@click.argument("id", type=click.IntRange(1), required=False)
@click.option("--row", type=click.IntRange(1), metavar="N", help="The row that was decided by hand.")
@click.option("--all", "all_rows", is_flag=True, help="Decide all rows in doubt: with not-created.")
@json_option
@target_options(hidden=True)
@click.pass_context
def settle_command(
    ctx: click.Context,
    job: Path,
    decision: str | None,
    id: int | None,
    row: int | None,
    all_rows: bool,
    as_json: bool,
) -> None:
    """Find out the outcome of the rows in doubt.

    Rows with a marker are looked up. Those that are confirmed absent are planned again: resume sends them.
    A row without a marker is decided by you, after you looked for it; the journal keeps your decision.

    \b
      wosdk jobs settle requests.csv.job
      wosdk jobs settle requests.csv.job --row 7 created 90417
      wosdk jobs settle requests.csv.job --row 7 not-created
      wosdk jobs settle requests.csv.job --all not-created

    Exit status: 0 no row is in doubt any more, 1 some are.
    """
    by_hand = row is not None or all_rows
    wrong = by_hand != (decision is not None) or (id is None) == (decision == "created")
    if wrong or (all_rows and (row is not None or decision == "created")):
        raise click.UsageError(
            "write --row N created ID, --row N not-created or --all not-created; without these options "
            "rows are looked up"
        )
    require_stdout()
    from wosdk_async.jobs.journal.folder import folder_of

    folder = folder_of(job)
    if not by_hand:
        status = _settle(ctx, folder, as_json)
    else:
        status = Exit.SOME if _decided_by_hand(ctx, folder, row, id) else Exit.DONE
    sys.exit(status)


def _decided_by_hand(ctx: click.Context, folder: Path, row: int | None, id: int | None) -> int:
    """Write down the decision; an id is looked up in the Company. Return how many rows stay in doubt."""
    if id is None:
        return asyncio.run(_decide(folder, row, None, None))
    with company_of_job(ctx, folder) as runner:
        return runner.run(_decide(folder, row, id, runner.company))


async def _decide(folder: Path, row: int | None, id: int | None, company: Company | None) -> int:
    from wosdk_async.jobs.imports.settling import decide, doubts_in
    from wosdk_async.jobs.journal import Journal

    async with Journal.open(folder) as journal:
        who = f"{_user()} at {datetime.now(UTC).isoformat(timespec='seconds')}"
        rows = [row] if row is not None else await doubts_in(journal)
        for each in rows:
            await decide(journal, each, id, who, company=company, on_stage=say)
            say(f"row {each}: {f'created as {id}' if id else 'not created; wosdk jobs resume sends it'}")
        await write_files(journal)
        return _in_doubt(journal)


def _settle(ctx: click.Context, folder: Path, as_json: bool) -> int:
    from wosdk_async.cli.signals import StopSignals
    from wosdk_async.jobs.imports.settling import settle_job
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.stop import Stop

    stop = Stop()
    signals = StopSignals(stop.ask)
    with company_of_job(ctx, folder) as runner:

        async def settled() -> tuple[dict[str, int], int]:
            async with Journal.open(folder) as journal:
                with signals.handled():
                    try:
                        figures = await settle_job(journal, runner.company, on_stage=say, stop=stop)
                    finally:  # some rows may be decided although a look-up failed
                        await write_files(journal)
                return figures, _in_doubt(journal)

        figures, left = runner.run(settled(), exit_soon=False)
    if as_json:
        click.echo(json_text({**figures, "in_doubt": left}))
    else:
        click.echo(
            f"{counted(figures['looked_up'], 'row')} looked up: {figures['found']} there, "
            f"{figures['not_there']} not there and planned again, {left} in doubt"
        )
    return signals.status or (Exit.SOME if left else Exit.DONE)


def _in_doubt(journal: Journal) -> int:
    from wosdk_async.jobs.journal import State

    counts = journal.counts(), journal.gone()
    return sum(each[state] for each in counts for state in (State.IN_DOUBT, State.SENDING))


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container without a name for its user
        return "unknown user"
