"""``wosdk import``: create work orders from a file, as a map says."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from wosdk_async.cli.exit_codes import CliError, Exit, cli_errors, sandbox_extra, say, writing
from wosdk_async.cli.options import target_of, target_options
from wosdk_async.cli.output.cells import counted
from wosdk_async.cli.output.files import require_not_needed, require_not_store, require_stdout
from wosdk_async.options import Limits

if TYPE_CHECKING:
    from wosdk_async import Company
    from wosdk_async.jobs import ImportJob, RowOutcome, Summary

__all__ = ["import_command"]

# Seconds that calls under way get after the signal; docker kills a container 10 s after SIGTERM.
_GRACE = {signal.SIGINT: 30.0, signal.SIGTERM: 6.0}
_TEMPORARY = "\0"  # --sandbox without a STORE; no file can have this name
_PATH = click.Path(path_type=Path)


@click.command("import", short_help="Create a work order for each row of a file.", no_args_is_help=True)
@click.argument("file", type=_PATH, required=False)
@click.option(
    "--map",
    "map_file",
    type=_PATH,
    required=True,
    metavar="MAP.toml",
    help="TOML file that says which column fills which field.",
)
@click.option(
    "--sandbox",
    is_flag=False,
    flag_value=_TEMPORARY,
    metavar="[STORE.db]",
    help="Import into a local Company that runs during the import; without STORE.db it is deleted then.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1000),
    default=32,
    show_default=True,
    help="The highest number of calls at a time.",
)
@click.option(
    "--outcomes",
    type=_PATH,
    metavar="OUT.jsonl",
    help="Write one JSON line for each row when its outcome is known.",
)
@click.option("--force", is_flag=True, help="Overwrite the outcomes of an earlier import.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
@click.option(
    "--yes", is_flag=True, help="Do not ask before creating in a Company that is not on this machine."
)
@target_options(hidden=True)
@click.pass_context
def import_command(
    ctx: click.Context,
    file: Path | None,
    map_file: Path,
    sandbox: str | None,
    concurrency: int,
    outcomes: Path | None,
    force: bool,
    as_json: bool,
    yes: bool,
) -> None:
    """Create one work order for each row of a CSV FILE.

    The file and the map are checked as a whole before anything is sent. A row that cannot be used is
    reported, and all others are created. Running the same import again creates every row again.

    \b
      wosdk import requests.csv --map map.toml --sandbox
      wosdk import requests.csv --map map.toml --sandbox company.db --outcomes outcomes.jsonl
      wosdk import requests.csv --map map.toml --yes --json

    Exit status: 0 all rows were created, 1 some were not, 2 the command or a file cannot be used; 3 to 6
    the Company refused or was not reached before anything was created, 8 the summary could not be written.
    """
    if file is None:
        raise click.UsageError(_no_file(sandbox))
    require_stdout()
    with cli_errors():
        from wosdk_async.cli.runner import Runner, confirm

        target = target_of(ctx)
        if target.read_only:
            raise CliError("--read-only: an import creates work orders, so nothing is sent")
        if outcomes is not None:
            require_not_needed("--outcomes", outcomes, file, map_file)
            if sandbox is not None and sandbox != _TEMPORARY:
                require_not_store("--outcomes", outcomes, Path(sandbox))
            _require_new(outcomes, force)
        job = _job(file, map_file)
        limits = Limits(connections=concurrency)
        with (
            _company_variables(sandbox) as variables,
            Runner(target, variables, limits=limits, in_flight=concurrency) as runner,
        ):
            runner.run(runner.company.connect())
            if variables is None:
                confirm(runner.company, counted(job.rows, "row"), "Create the work orders?", ask=not yes)
            importing = _run(job, runner.company, concurrency, outcomes, as_json)
            summary = runner.run(importing, exit_soon=False)
    sys.exit(Exit.DONE if summary.complete else Exit.SOME)


def _no_file(sandbox: str | None) -> str:
    if sandbox and sandbox != _TEMPORARY:
        return (
            f"FILE is missing: --sandbox took {sandbox!r} as its store. Write FILE first, as in "
            f"wosdk import {sandbox} --sandbox --map MAP.toml"
        )
    return "FILE is missing: name the CSV file, as in wosdk import requests.csv --map map.toml"


def _require_new(outcomes: Path, force: bool) -> None:
    """Refuse to overwrite the outcomes of an earlier import: they may be the only list of what it created."""
    if not force and outcomes.is_file() and outcomes.stat().st_size:
        raise CliError(
            f"{outcomes} exists already, and may be the only list of what an earlier import created; "
            "name another file, or add --force to overwrite it"
        )


def _job(file: Path, map_file: Path) -> ImportJob:
    from wosdk_async.jobs import ImportJob, ImportMap, open_source

    import_map = ImportMap.load(map_file)
    return ImportJob(open_source(file), import_map)


@contextmanager
def _company_variables(sandbox: str | None) -> Iterator[Mapping[str, str] | None]:
    """Yield the ``WOSDK_*`` variables of a local Company; None without ``--sandbox``."""
    if sandbox is None:
        yield None
        return
    with sandbox_extra():
        from wosdk_async.sandbox import LocalCompany, StoreError
    with ExitStack() as exits:
        try:
            local = exits.enter_context(LocalCompany(None if sandbox == _TEMPORARY else sandbox))
        except StoreError as error:
            raise CliError(str(error)) from error
        yield local.variables


async def _run(
    job: ImportJob, company: Company, concurrency: int, outcomes: Path | None, as_json: bool
) -> Summary:
    from wosdk_async.cli.output.reporting import OutcomeWriter, RowProgress, print_summary

    with _opened(outcomes) as file, _interruptible(job):  # both last until the summary is printed
        writer = OutcomeWriter(file, job.stop)
        with RowProgress(job.rows) as progress:

            def on_row(outcome: RowOutcome) -> None:
                writer.row(outcome)
                progress.add(1, writer.problems)

            summary = await job.run(company, limit=concurrency, on_row=on_row, on_stage=progress.stage)
        with writing(f"the import has ended, {counted(summary.created, 'work order')} created"):
            writer.say_problems(summary, outcomes)
            print_summary(summary, as_json)
    return summary


def _opened(outcomes: Path | None) -> IO[bytes] | nullcontext[None]:
    if outcomes is None:
        return nullcontext()
    # Unbuffered: the line of a row is in the file even if the process is killed later.
    return outcomes.open("wb", buffering=0)


@contextmanager
def _interruptible(job: ImportJob) -> Iterator[None]:
    """Start no further row after Ctrl-C or SIGTERM; abort calls after a second one or when the grace ends."""
    from wosdk_async.jobs.importer import ABORT_GRACE

    loop = asyncio.get_running_loop()
    stops = 0

    def stop(number: signal.Signals) -> None:
        nonlocal stops
        stops += 1
        job.stop()
        if stops == 1:
            again = "Ctrl-C again aborts them" if number == signal.SIGINT else "then they are aborted"
            say(f"stopping: calls under way get {_GRACE[number]:.0f} s, {again}")
            loop.call_later(
                _GRACE[number] - ABORT_GRACE, job.stop
            )  # the second stop aborts the calls after ABORT_GRACE

    with ExitStack() as handlers:
        # Windows has no such handlers: there Ctrl-C cancels the import, which still waits for its calls.
        with suppress(NotImplementedError):
            for number in _GRACE:
                loop.add_signal_handler(number, stop, number)
                handlers.callback(loop.remove_signal_handler, number)
        yield
