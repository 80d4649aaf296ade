"""``wosdk jobs``: what imports have done, and what is left of them to do."""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.command_words import message_of
from wosdk_async.cli.commands.settle import settle_command
from wosdk_async.cli.commands.undo import undo_command
from wosdk_async.cli.exit_codes import CliError, Exit, cli_errors, say
from wosdk_async.cli.help import Group
from wosdk_async.cli.import_options import excel_option
from wosdk_async.cli.job_context import excel_of, input_of, require_lasting, source_of
from wosdk_async.cli.kept_commands import changed_arguments, given_arguments, kept_arguments, kept_globals
from wosdk_async.cli.options import output_of, output_options, target_options
from wosdk_async.cli.output.cells import json_text, visible
from wosdk_async.cli.output.files import opened, require_not_needed, require_stdout
from wosdk_async.cli.run_options import RUN_NAMES, run_options

if TYPE_CHECKING:
    from wosdk_async.jobs.options import ExcelSeparator
    from wosdk_async.jobs.overview import Overview

__all__ = ["jobs_command"]

_PATH = click.Path(path_type=Path)
_job = click.argument("job", type=_PATH)
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
_yes = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group("jobs", cls=Group, short_help="Imports that ran or were stopped: show, resume, settle, undo.")
def jobs_command() -> None:
    """Show imports that ran or were stopped; resume, settle or undo them.

    JOB is the folder of a job, such as requests.csv.job, or the file of its rows if that has one job only.
    """


jobs_command.add_command(settle_command)
jobs_command.add_command(undo_command)


@jobs_command.command("list")
@click.argument("place", type=_PATH, metavar="[DIR]", default=Path(), required=False)
@output_options
def list_command(place: Path, as_json: bool, as_csv: bool, output: Path | None) -> None:
    """List the jobs below DIR, or beside a file, the newest first."""
    where = output_of(as_json, as_csv, output)
    with cli_errors():
        from wosdk_async.cli.output.formats import format_of
        from wosdk_async.cli.output.job_view import print_jobs
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
        if output is not None:  # the input of a job is often the only copy
            require_not_needed("--output", output, place, *(Path(job.plan.file) for job in jobs))
        jobs.sort(key=lambda job: job.plan.created_at, reverse=True)
        rows = [job.as_dict() for job in jobs]
        with opened(where) as file:
            if where.format == "table":
                print_jobs(file, rows)
            else:
                writer = format_of(where, file, list(rows[0]) if rows else [])
                writer.write(rows)
                writer.close()
        if not rows and not unreadable:
            say(f"there are no jobs in {place}")
    if unreadable:
        sys.exit(Exit.UNUSABLE)


async def _overview_of(folder: Path) -> Overview:
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.overview import overview

    async with Journal.open(folder, snapshot=True) as journal:
        return await overview(journal)


@jobs_command.command(short_help="Show plan, counts, runs, and what the same command would do.")
@_job
@_json
def show(job: Path, as_json: bool) -> None:
    """Show the plan of a job, its counts and runs, rows that need care, and what a resume would do.

    It works beside a running job, too.
    """
    require_stdout()
    with cli_errors():
        from wosdk_async.cli.output.job_view import job_facts, print_job
        from wosdk_async.jobs.journal.folder import folder_of

        facts = asyncio.run(job_facts(folder_of(job)))
        if as_json:
            click.echo(json_text(facts))
        else:
            print_job(facts)


@jobs_command.command()
@_job
@run_options
@click.option("--one-process", is_flag=True, help="Send the rows from this process, and not from workers.")
@click.option(
    "--outcomes", type=_PATH, metavar="OUT.jsonl", help="Append one JSON line for each row to this file."
)
@_json
@_yes
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
    with cli_errors():
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
            say(f"no outcomes are written; to append to those of the last run, add {shlex.join(files)}")
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
@_job
@excel_option
def rejects(job: Path, csv_for_excel: ExcelSeparator | None) -> None:
    """Write results.csv, rejects.csv, in_doubt.csv and the report of a job again.

    rejects.csv has the rows that failed, as they stand in the file; correct it, and import it as it is.
    """
    with cli_errors():
        _print_files(asyncio.run(_rewritten(job, csv_for_excel)))


@jobs_command.command()
@_job
def report(job: Path) -> None:
    """Write report.html and report.json of a job again."""
    with cli_errors():
        _print_files(asyncio.run(_rewritten_report(job)))


async def _rewritten(job: Path, excel: ExcelSeparator | None) -> list[Path]:
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.journal.entries import as_last_given
    from wosdk_async.jobs.journal.folder import folder_of
    from wosdk_async.jobs.outputs import write_outputs
    from wosdk_async.jobs.sources.conversion import off_the_loop

    async with Journal.open(folder_of(job)) as journal:
        plan = as_last_given(journal.plan, await journal.runs())
        source = await off_the_loop(source_of, plan, journal.folder)
        return await write_outputs(journal, source, csv_for_excel=excel or excel_of(plan))


async def _rewritten_report(job: Path) -> list[Path]:
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.journal.folder import folder_of
    from wosdk_async.jobs.outputs import write_report

    async with Journal.open(folder_of(job)) as journal:
        return await write_report(journal)


def _print_files(paths: list[Path]) -> None:
    from wosdk_async.cli.output.reporting import say_kept

    say_kept(paths)
    for path in paths:
        click.echo(visible(str(path)))
