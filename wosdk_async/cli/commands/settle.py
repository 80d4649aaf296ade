"""``wosdk jobs settle``: find out, or write down, the outcome of rows in doubt."""

from __future__ import annotations

import asyncio
import getpass
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wosdk_async.cli.exit_codes import Exit, cli_errors, say
from wosdk_async.cli.job_context import company_of_job, write_files
from wosdk_async.cli.options import target_options
from wosdk_async.cli.output.cells import counted, json_text
from wosdk_async.cli.output.files import require_stdout

if TYPE_CHECKING:
    from wosdk_async.jobs.journal import Journal

__all__ = ["settle_command"]


@click.command("settle")
@click.argument("job", type=click.Path(path_type=Path))
@click.argument("decision", type=click.Choice(["created", "not-created"]), required=False)
@click.argument("id", type=click.IntRange(1), required=False)
@click.option("--row", type=click.IntRange(1), metavar="N", help="The row that was decided by hand.")
@click.option("--all", "all_rows", is_flag=True, help="Decide all rows in doubt: with not-created.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
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
    with cli_errors():
        from wosdk_async.jobs.journal.folder import folder_of

        folder = folder_of(job)
        if not by_hand:
            status = _settle(ctx, folder, as_json)
        else:
            status = Exit.SOME if asyncio.run(_decide(folder, row, id)) else Exit.DONE
    sys.exit(status)


async def _decide(folder: Path, row: int | None, id: int | None) -> int:
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.settling import decide, doubts_in

    async with Journal.open(folder) as journal:
        who = f"{_user()} at {datetime.now(UTC).isoformat(timespec='seconds')}"
        rows = [row] if row is not None else await doubts_in(journal)
        for each in rows:
            await decide(journal, each, id, who, on_stage=say)
            say(f"row {each}: {f'created as {id}' if id else 'not created; wosdk jobs resume sends it'}")
        await write_files(journal)
        return _in_doubt(journal)


def _settle(ctx: click.Context, folder: Path, as_json: bool) -> int:
    from wosdk_async.cli.stop_signals import StopSignals
    from wosdk_async.jobs.journal import Journal
    from wosdk_async.jobs.settling import settle_job
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
        return "somebody"
