"""``wosdk import``: create, change or delete records from a file, as a map says."""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from wosdk_async.cli.commands.import_init import init_command, input_options, operation_of, sheet_of
from wosdk_async.cli.exit_codes import CliError, Exit, cli_errors, say, writing
from wosdk_async.cli.import_check import check_import
from wosdk_async.cli.kept_commands import kept_command
from wosdk_async.cli.local_company import TEMPORARY, company_variables, identity_of
from wosdk_async.cli.options import target_of, target_options
from wosdk_async.cli.output.cells import counted
from wosdk_async.cli.output.files import require_not_needed, require_not_store, require_stdout
from wosdk_async.options import Limits

if TYPE_CHECKING:
    from wosdk_async.jobs import Import, RowOutcome, Summary
    from wosdk_async.jobs.opening import OpenedJob

__all__ = ["import_command"]

# Seconds that calls under way get after the signal; docker kills a container 10 s after SIGTERM.
_GRACE = {signal.SIGINT: 30.0, signal.SIGTERM: 6.0}
_PATH = click.Path(path_type=Path)


class _Import(click.Command):
    """Command with a FILE, or the command ``init`` in its place; a file of that name is ``./init``."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the options of the one or the other."""
        if args[:1] == ["init"]:
            return init_command.make_context(f"{info_name} init", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    "import",
    cls=_Import,
    short_help="Create or change a record for each row of a file.",
    no_args_is_help=True,
)
@click.argument("file", required=False, type=click.Path())
@click.option(
    "--map",
    "map_file",
    type=_PATH,
    required=True,
    metavar="MAP.toml",
    help="TOML file that says which column fills which field.",
)
@input_options
@click.option(
    "--sandbox",
    is_flag=False,
    flag_value=TEMPORARY,
    metavar="[STORE.db]",
    help="Import into a local Company that runs during the import; without STORE.db it is deleted then.",
)
@click.option(
    "--job",
    "folder",
    type=_PATH,
    metavar="DIR",
    help="Folder of the job, on a local disk; by default FILE.job beside FILE.",
)
@click.option(
    "--marker",
    metavar="FIELD",
    help="Field that carries the key of each row, such as work_order.po_number: no row is created twice.",
)
@click.option(
    "--if-exists",
    type=click.Choice(["fail", "skip"]),
    default="fail",
    show_default=True,
    help="What to do with a row whose key is in the Company already.",
)
@click.option("--again", is_flag=True, help="Begin a new job, although there is one for this file.")
@click.option(
    "--continue", "carry_over", is_flag=True, help="Go on with an unfinished job after FILE was changed."
)
@click.option("--check", is_flag=True, help="Write nothing; say what would become of each row.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="With --check: look at N rows only.")
@click.option("--resume", is_flag=True, hidden=True, help="Begin no new job (wosdk jobs resume).")
@click.option("--retry", type=click.Choice(["refused"]), help="Send the rows again that were refused.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1000),
    default=32,
    show_default=True,
    help="The highest number of calls at a time; fewer when the service gets slow.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    metavar="N",
    help="The highest number of calls in a second.",
)
@click.option(
    "--stop-after", metavar="N|P%", help="Stop when so many rows have failed: 20, or 5% of all rows."
)
@click.option(
    "--stop-after-doubt",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    metavar="N",
    help="Stop when so many rows are in doubt.",
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
    /,
    file: str | None,
    map_file: Path,
    delimiter: str | None,
    encoding: str | None,
    sheet: str | None,
    file_format: str | None,
    sandbox: str | None,
    outcomes: Path | None,
    force: bool,
    as_json: bool,
    yes: bool,
    rate: float | None,
    retry: str | None,
    concurrency: int,
    command: str | None,
    entity: str | None,
    update_by: str | None,
    delete_by: str | None,
    check: bool,
    sample: int | None,
    **options: Any,
) -> None:
    """Create one work order for each row of FILE, or do for each row what the map says.

    The file and the map are checked as a whole before anything is sent. A row that cannot be used is
    reported, and all others are carried out. The map or --entity and --command say what is done: a command
    is run, or a record is created, updated or deleted.

    FILE is CSV, TSV, JSON lines, Excel or Parquet; - is stdin, and https:// and other URLs are read, too:
    their content is copied into the job folder, which is in the working directory then.

    The import is a job with a journal, in a folder beside FILE. Stopped or killed, the same command goes on
    where it was: no row is sent twice. When the job is finished, the same command sends nothing.

    `wosdk import init FILE` proposes a map.

    \b
      wosdk import requests.csv --map map.toml --check
      wosdk import requests.csv --map map.toml --sandbox
      wosdk import requests.csv --map map.toml --marker work_order.po_number
      wosdk import requests.csv --map map.toml --sandbox company.db --outcomes outcomes.jsonl
      wosdk import requests.csv --map map.toml --retry refused --yes

    Exit status: 0 all rows were carried out, 1 some were not, 2 the command, a file or the job cannot be
    used; 3 to 6 the Company refused or was not reached before anything was sent, 8 the summary could not be
    written, 130 after Ctrl-C and 143 after SIGTERM.
    """
    if file is None:
        raise click.UsageError(_no_file(sandbox))
    if sample is not None and not check:
        raise click.UsageError("--sample is for --check; an import takes all rows")
    require_stdout()
    with cli_errors():
        from wosdk_async.cli.runner import Runner, confirm

        target = target_of(ctx)
        operation = operation_of(command, entity, update_by, delete_by)
        reading = {
            "delimiter": delimiter,
            "encoding": encoding,
            "sheet": sheet_of(sheet),
            "format": file_format,
        }
        if check:
            complete = check_import(
                target,
                file,
                map_file,
                operation=operation,
                reading=reading,
                sandbox=sandbox,
                sample=sample,
                rate=rate,
                options=options | {"limit": concurrency, "retry_refused": retry is not None},
                as_json=as_json,
            )
            sys.exit(Exit.DONE if complete else Exit.SOME)
        if target.read_only:
            raise CliError("--read-only: an import changes the Company, so nothing is sent")
        if outcomes is not None:
            require_not_needed("--outcomes", outcomes, Path(file), map_file)
            if sandbox is not None and sandbox != TEMPORARY:
                require_not_store("--outcomes", outcomes, Path(sandbox))
        temporary = sandbox == TEMPORARY and options["folder"] is None  # the job ends with its Company
        with ExitStack() as exits:
            if temporary:
                options["folder"] = Path(exits.enter_context(tempfile.TemporaryDirectory())) / "job"
            options |= {
                "limit": concurrency,
                "retry_refused": retry is not None,
                "details": kept_command(ctx),
            }
            job = _job(file, map_file, operation, reading, options)  # before the sandbox starts
            client = {"limits": Limits(connections=concurrency), "in_flight": concurrency, "adaptive": True}
            variables = exits.enter_context(company_variables(sandbox))
            runner = exits.enter_context(Runner(target, variables, rate=rate, **client))
            opened = runner.run(job.open(runner.company, identity=identity_of(variables)))
            exits.callback(lambda: runner.run(job.close()))
            if outcomes is not None and opened.new:
                _require_new(outcomes, force)
            _say_job(opened, job.operation.label)
            if variables is None and not opened.finished:
                confirm(runner.company, counted(job.rows, "row"), job.operation.question, ask=not yes)
            signals = _Signals(job)
            lines = _opened(outcomes, anew=opened.new)
            summary = runner.run(_run(job, signals, lines, outcomes, as_json, temporary), exit_soon=False)
    if signals.first is not None and not summary.complete:
        sys.exit(128 + signals.first)
    sys.exit(Exit.DONE if summary.complete else Exit.SOME)


def _say_job(opened: OpenedJob, label: str) -> None:
    """Say when the import is not a new one."""
    from wosdk_async.jobs.journal.entries import State

    if opened.new:
        return
    plan, counts = opened.plan, opened.journal.counts()
    done = f"{counts[State.DONE]} of {counted(plan.rows, 'row')} {label}"
    if opened.finished:
        say(f"the job in {opened.folder} is finished ({done}): nothing is sent; --again begins a new job")
    else:
        say(f"going on with the job in {opened.folder}, begun {plan.created_at}: {done}")


def _no_file(sandbox: str | None) -> str:
    if sandbox and sandbox != TEMPORARY:
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


def _job(
    file: str,
    map_file: Path,
    operation: str | None,
    reading: dict[str, Any],
    options: dict[str, Any],
) -> Import:
    from wosdk_async.jobs import Import, ImportMap
    from wosdk_async.jobs.inputs import open_input
    from wosdk_async.jobs.journal.folder import ADDRESS

    import_map = ImportMap.load(map_file, operation=operation)
    found = open_input(file, options["folder"], **reading)
    options["folder"] = found.folder
    if found.address is not None:
        options["details"] |= {ADDRESS: found.address}
    return Import(found.source, import_map, **options)


async def _run(
    job: Import,
    signals: _Signals,
    opened: IO[bytes] | nullcontext[None],
    outcomes: Path | None,
    as_json: bool,
    temporary: bool,
) -> Summary:
    from wosdk_async.cli.output.reporting import OutcomeWriter, RowProgress, print_summary, say_files

    with opened as file, signals.handled():  # both last until the summary is printed
        writer = OutcomeWriter(file, job.stop)
        with RowProgress(job.rows) as progress:

            def on_row(outcome: RowOutcome) -> None:
                writer.row(outcome)
                progress.add(1, writer.problems)

            summary = await job.run(on_row=on_row, on_stage=progress.stage)
        if temporary:  # it is deleted before anybody could look
            summary.folder, summary.files = None, []
        ended = f"the import has ended, {counted(summary.done, 'row')} {summary.label}"
        with writing(ended):
            writer.say_problems(summary, outcomes)
            say_files(summary)
            print_summary(summary, as_json)
        if summary.files_failed is not None:
            raise CliError(
                f"{ended}, but its files could not be written: {summary.files_failed}", Exit.UNWRITTEN
            )
    return summary


def _opened(outcomes: Path | None, *, anew: bool) -> IO[bytes] | nullcontext[None]:
    """Return the file for the outcomes; a job that goes on writes behind those of its earlier runs."""
    if outcomes is None:
        return nullcontext()
    # Unbuffered: the line of a row is in the file even if the process is killed later.
    return outcomes.open("wb" if anew else "ab", buffering=0)


class _Signals:
    """Ctrl-C and SIGTERM during an import.

    After the first no further row is started; after a second one, or when the grace ends, the calls under way
    are aborted. ``first`` is the number of the first signal.
    """

    def __init__(self, job: Import) -> None:
        self.first: int | None = None
        self._job = job

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle the signals within the block."""
        loop = asyncio.get_running_loop()
        with ExitStack() as handlers:
            # Windows has no such handlers: there Ctrl-C cancels the import, which still waits for its calls.
            with suppress(NotImplementedError):
                for number in _GRACE:
                    loop.add_signal_handler(number, self._stop, number)
                    handlers.callback(loop.remove_signal_handler, number)
            yield

    def _stop(self, number: signal.Signals) -> None:
        from wosdk_async.jobs.sending import ABORT_GRACE

        self._job.stop()
        if self.first is None:
            self.first = int(number)
            again = "Ctrl-C again aborts them" if number == signal.SIGINT else "then they are aborted"
            say(f"stopping: calls under way get {_GRACE[number]:.0f} s, {again}")
            # The second stop aborts the calls after ABORT_GRACE.
            asyncio.get_running_loop().call_later(_GRACE[number] - ABORT_GRACE, self._job.stop)
