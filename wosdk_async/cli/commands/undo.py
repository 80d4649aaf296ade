"""``wosdk jobs undo``: cancel or delete what a job created."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wosdk_async.cli.exit_codes import CliError, Exit, say
from wosdk_async.cli.options import (
    Whole,
    job_argument,
    json_option,
    sandbox_option,
    target_options,
    yes_option,
)
from wosdk_async.cli.output.files import require_stdout
from wosdk_async.cli.output.progress import RowProgress
from wosdk_async.cli.signals import StopSignals
from wosdk_async.cli.texts import counted, in_commands, json_text, message_of, visible
from wosdk_async.text.remedies import Remedy

if TYPE_CHECKING:
    from wosdk_async.cli.runner import Runner
    from wosdk_async.jobs.journal import Journal, ReferenceRecord
    from wosdk_async.jobs.ledger.undone import UndoRow, UndoSummary
    from wosdk_async.jobs.undo import Undo

_SHOWN = 20  # rows listed on stderr
_CREATED_REFERENCE = "created reference"


def _add_kept(rows: list[UndoRow], row: UndoRow) -> None:
    """Add a row to ``rows`` unless it was or will be undone."""
    if row.outcome not in ("undo", "undone"):
        rows.append(row)


def _say_kept(rows: list[UndoRow], before: Iterable[UndoRow] = ()) -> None:
    """Print the first rows that are not in ``before``, and how many more there are."""
    from wosdk_async.jobs.ledger.undone import UNDO_LABELS

    known = {(row.row, row.reference, row.outcome) for row in before}
    new = [row for row in rows if (row.row, row.reference, row.outcome) not in known]
    for row in new[:_SHOWN]:
        name = f"row {row.row}" if row.reference is None else row.reference
        details = (f", id {row.id}" if row.id else "") + (f" ({row.number})" if row.number else "")
        say(f"{name}{details}: {UNDO_LABELS[row.outcome]}{f': {row.reason}' if row.reason else ''}")
    if len(new) > _SHOWN:
        say(f"and {counted(len(new) - _SHOWN, 'more row')}; --json lists them all")


@click.command("undo", short_help="Cancel or delete what a job created.")
@job_argument
@click.option("--reason", metavar="NAME|ID", help="Cancel reason for work orders.")
@click.option("--comment", metavar="TEXT", help="Comment for each work order's log.")
@click.option("--unversioned", is_flag=True, help="Also delete records whose changes cannot be detected.")
@click.option("--references", is_flag=True, help="Also delete created references that nothing else uses.")
@click.option("--run", "of_run", type=Whole(1), metavar="N", help="Undo the rows of run N.")
@click.option("--all", "all_runs", is_flag=True, help="Undo all runs.")
@click.option("--check", is_flag=True, help="Show what would be undone; change nothing.")
@click.option(
    "--concurrency",
    type=Whole(1, 1000),
    metavar="N",
    default=16,
    show_default=True,
    help="Concurrent calls.",
)
@sandbox_option
@json_option
@yes_option
@target_options(hidden=True)
@click.pass_context
def undo_command(
    ctx: click.Context,
    folder: Path,
    reason: str | None,
    comment: str | None,
    unversioned: bool,
    references: bool,
    of_run: int | None,
    all_runs: bool,
    check: bool,
    concurrency: int,
    sandbox: Path | None,
    as_json: bool,
    yes: bool,
) -> None:
    """Undo a run: cancel the work orders or delete the other records that it created.

    By default, resume an unfinished undo, or undo the last run that sent rows. Only records that the job
    certainly created are undone. Records that have changed since, or whose key differs from the row's, are
    listed and kept. Created references are also kept unless you add --references.

    \b
      wosdk jobs undo requests.csv.job --reason 'Entered by mistake' --check
      wosdk jobs undo requests.csv.job --run 2 --reason 'Entered by mistake'
      wosdk jobs undo requests.csv.job --reason 'Entered by mistake'

    Exit status: 0 all undone, 1 some not undone, rows in doubt, or declined.
    """
    if all_runs and of_run is not None:
        raise click.UsageError("--run and --all are mutually exclusive; use one")
    require_stdout()
    from wosdk_async.jobs.undo import Undo

    kept: list[UndoRow] = []
    status, undone_before = None, 0
    with _opened(ctx, folder, sandbox) as (runner, journal):
        undo = Undo(
            company=runner.company,
            journal=journal,
            concurrency=concurrency,
            unversioned=unversioned,
            references=references,
            of_run=None if all_runs else _run_to_undo(runner, journal, of_run),
            on_stage=say,
            on_row=partial(_add_kept, kept),
        )
        if not check:
            runner.run(undo.end_leases())
        summary = runner.run(undo.look())
        _say_undo(undo, summary, kept, runner.run(journal.references()), check=check)
        if check:  # printed first, because a missing or unknown reason raises
            _print_undo(summary, kept, undone_before, as_json)
        reason_id = runner.run(_reason_id(runner, undo, reason, summary.counts["undo"]))
        if not check:
            undone_before = summary.counts["undone"]
            _confirm_undo(runner, undo, summary, ask=not yes)
            before, kept = kept, []
            # Called even if nothing remains to be undone, because it also records the end of a killed undo.
            summary, status = _carry_out(runner, undo, reason_id, comment, kept)
            _say_kept(kept, before)
            _print_undo(summary, kept, undone_before, as_json)
    sys.exit(status or (Exit.DONE if summary.complete else Exit.SOME))


@contextmanager
def _opened(ctx: click.Context, folder: Path, sandbox: Path | None) -> Iterator[tuple[Runner, Journal]]:
    from wosdk_async.cli.job import company_of_job
    from wosdk_async.jobs.journal import Journal

    async def open_journal() -> Journal:
        return Journal.open(folder)

    with company_of_job(ctx, folder, sandbox) as runner:
        journal = runner.run(open_journal())
        try:
            yield runner, journal
        finally:
            runner.run(journal.close())


def _run_to_undo(runner: Runner, journal: Journal, of_run: int | None) -> int | None:
    """Print the run to undo, and return it, or None for all runs; ``of_run`` overrides the default."""
    from wosdk_async.jobs.ledger.undone import UNDO, run_to_undo

    runs = runner.run(journal.runs())
    files = {each.number: each.details.get("file") for each in runs if each.details.get("command") != UNDO}
    if of_run is not None and of_run not in files:
        raise CliError(f"{journal.folder}: no run {of_run} that sent rows; wosdk jobs show lists the runs")
    run = of_run or runner.run(run_to_undo(journal))
    if run is not None:
        say(f"run {run} of {journal.folder}, file {files.get(run) or 'unknown'}")
    elif files:
        say(f"all runs of {journal.folder}")
    return run


def _confirm_undo(runner: Runner, undo: Undo, summary: UndoSummary, *, ask: bool) -> None:
    from wosdk_async.cli.runner import confirm

    rows, references = summary.counts["undo"], summary.references["undo"]
    texts = [f"{counted(rows, undo.noun)} to be {undo.verb}"] if rows else []
    texts += [f"{counted(references, _CREATED_REFERENCE)} to be deleted"] if references else []
    if texts:
        confirm(runner.company, ", ".join(texts), "Undo the job?", ask=ask)


async def _reason_id(runner: Runner, undo: Undo, reason: str | None, rows: int) -> int | None:
    from wosdk_async.cli.order_changes import reason_id

    if not undo.cancels:
        if reason is not None:
            raise CliError("--reason applies to work orders, which are cancelled; other records are deleted")
        return None
    if reason is None and not rows:
        return None
    return await reason_id(runner.company, "Cancel", reason)


def _carry_out(
    runner: Runner, undo: Undo, reason: int | None, comment: str | None, kept: list[UndoRow]
) -> tuple[UndoSummary, int | None]:
    """Undo the job and rewrite its files. Return the summary, and a stop signal's exit status, if any."""
    from wosdk_async.cli.job import write_files
    from wosdk_async.jobs.errors import JournalError, OutputError

    signals = StopSignals(undo.stop)

    async def run_undo() -> UndoSummary:
        with signals.handled():
            try:
                return await undo.run(reason, comment)
            finally:  # even after an error, because some records may already be undone
                try:
                    await write_files(undo.journal)
                except OutputError as error:  # only reported, because the journal has all outcomes
                    say(message_of(error))

    with RowProgress(final=False) as progress:

        def add(row: UndoRow) -> None:
            _add_kept(kept, row)
            progress.add(1)

        undo.on_row = add
        try:
            summary = runner.run(run_undo(), exit_soon=False)
        except JournalError as error:
            if not undo.journal.run:  # nothing was sent
                raise
            raise CliError(message_of(error), Exit.SOME) from error
    if signals.status is not None:
        say("stopped: run the same command to resume the undo")
    return summary, signals.status


def _say_undo(
    undo: Undo, summary: UndoSummary, kept: list[UndoRow], references: list[ReferenceRecord], *, check: bool
) -> None:
    from wosdk_async.jobs.journal import State

    counts = undo.journal.counts()
    if check:  # without --check, the confirmation shows these numbers
        say(f"{counted(summary.counts['undo'], undo.noun)} would be {undo.verb}")
        if undo.references:
            say(f"{counted(summary.references['undo'], _CREATED_REFERENCE)} would be deleted")
    if summary.counts["undone"]:
        say(f"{summary.counts['undone']} undone before")
    if counts[State.FOUND]:
        rows = counted(counts[State.FOUND], "row")
        say(f"{rows} matched records that the job did not create; these are kept")
    if doubted := counts[State.IN_DOUBT] + counts[State.SENDING]:
        how = "run wosdk jobs settle first"
        if undo.journal.plan.marker is None:
            how = in_commands(Remedy.DECIDE_ROWS, {"folder": undo.journal.folder})
        say(f"{counted(doubted, 'row')} in doubt; to undo them, {how}")
    deleted = [summary.references, *([] if undo.cancels else [summary.counts])]
    if undo.unchecked is not None and any(each["undo"] or each["unversioned"] for each in deleted):
        say(undo.unchecked)
    _say_kept(kept)
    created = [each for each in references if undo.of_run in (None, each.run)]
    staying = sum(each.state is State.DONE and each.undo is not State.DONE for each in created)
    if staying and not undo.references:
        say(f"{counted(staying, _CREATED_REFERENCE)} kept; --references deletes the unused ones")


def _print_undo(summary: UndoSummary, kept: list[UndoRow], undone_before: int, as_json: bool) -> None:
    """Print the summary; ``undone_before`` is the number of records that were already undone."""
    from wosdk_async.jobs.ledger.undone import UNDO_LABELS

    if as_json:
        rows = [row.as_dict() for row in kept]
        click.echo(json_text({**summary.as_dict(), "left": rows}))
        return
    now = {"undone": f" ({summary.counts['undone'] - undone_before} now)"} if undone_before else {}
    texts = [
        f"{count} {UNDO_LABELS[outcome]}{now.get(outcome, '')}"
        for outcome, count in summary.counts.items()
        if count
    ]
    if summary.not_started:
        texts.append(f"{summary.not_started} not started")
    references = [f"{count} {UNDO_LABELS[outcome]}" for outcome, count in summary.references.items()]
    texts += [f"references: {'; '.join(references)}"] if references else []
    for text in texts or ["nothing to undo"]:
        click.echo(visible(text))
