"""Company, input file and output files of a job, from the last run's options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from wosdk_async.cli.exit_codes import CliError, say
from wosdk_async.cli.import_arguments import ReadOptions, saved_globals, saved_import
from wosdk_async.cli.options import TEMPORARY, target_of
from wosdk_async.errors import ConfigurationError

if TYPE_CHECKING:
    from wosdk_async.cli.runner import Runner
    from wosdk_async.jobs import Source
    from wosdk_async.jobs.journal import JobPlan, Journal
    from wosdk_async.jobs.options import ExcelSeparator


@contextmanager
def company_of_job(ctx: click.Context, folder: Path, sandbox: Path | None) -> Iterator[Runner]:
    """Connect to a job's Company. Raises CliError if the options name another Company.

    ``sandbox`` is the store of a local Company (default: that of the last run).
    """
    from wosdk_async.cli.runner import connected
    from wosdk_async.jobs.journal.folder import plan_of
    from wosdk_async.jobs.ledger.request import company_identity

    plan = plan_of(folder, as_given=True)
    require_lasting(plan, folder)
    target = target_of(ctx)
    if target.read_only:
        raise CliError("--read-only: this command changes the job or the Company, so nothing is sent")
    saved = {name: value for name, value in saved_globals(plan.options).items() if not getattr(target, name)}
    arguments = saved_import(plan.options, folder)
    store = str(sandbox) if sandbox is not None else None if arguments is None else arguments.sandbox
    if store is not None and not Path(store).exists():
        raise CliError(f"{store}: the store of this job's local Company is missing; name it with --sandbox")
    with connected(attrs.evolve(target, **saved), store) as (runner, fingerprint):
        runner.run(runner.company.connect())
        found = fingerprint or company_identity(runner.company)
        if found != plan.company:
            raise CliError(f"the job in {folder} belongs to Company {plan.company!r}, not to {found!r}")
        yield runner


def require_lasting(plan: JobPlan, folder: Path) -> None:
    """Raise CliError if the job's Company was temporary and no longer exists."""
    arguments = saved_import(plan.options, folder)
    if arguments is not None and arguments.sandbox == TEMPORARY:
        raise CliError(
            f"{folder}: this job's Company was temporary (--sandbox without STORE.db), so "
            "the job cannot be resumed"
        )


def input_of(plan: JobPlan, folder: Path) -> Path:
    """Return the input file; for stdin and URLs, the copy in the job folder."""
    copies = sorted(folder.glob(f"input.{plan.sha256[:16]}*"))
    file = copies[0] if copies else Path(plan.file)
    if not file.is_file():
        raise CliError(f"{file}: this job's input file is missing; put it back")
    return file


def source_of(plan: JobPlan, folder: Path) -> Source:
    """Open a job's input with the options in ``plan``."""
    from wosdk_async.jobs import open_source
    from wosdk_async.jobs.sources.table_rules import TableRules

    arguments = saved_import(plan.options, folder)
    reading = ReadOptions() if arguments is None else arguments.reading
    reading = reading.with_rules(TableRules.of_options(plan.options))
    return open_source(input_of(plan, folder), **attrs.asdict(reading))


async def write_files(
    journal: Journal, excel: ExcelSeparator | None = None, *, changed: bool = True
) -> tuple[list[Path], bool]:
    """Rewrite a job's files; without the input file, only those that do not need it.

    If outcomes have ``changed``, say that the import's ``--outcomes`` file is out of date. Return the written
    files, and whether all files were written.
    """
    from wosdk_async.cli.output.reporting import COMMAND_WORDS, say_kept
    from wosdk_async.cli.texts import in_commands
    from wosdk_async.jobs.journal.entries import as_last_given
    from wosdk_async.jobs.report.outputs import write_outputs
    from wosdk_async.jobs.sources.converted import off_the_loop

    plan = as_last_given(journal.plan, await journal.runs())
    try:
        source = await off_the_loop(source_of, plan, journal.folder)
    except (CliError, ConfigurationError) as error:
        why = error.explained(in_commands) if isinstance(error, ConfigurationError) else error.message
        say(f"rejects.csv and in_doubt.csv were not written: {why}")
        source = None
    arguments = saved_import(plan.options, journal.folder)
    excel = excel or (None if arguments is None else arguments.options.csv_for_excel)
    paths = await write_outputs(journal, source, csv_for_excel=excel, words=COMMAND_WORDS)
    say_kept(paths)
    if changed and arguments is not None and arguments.outcomes is not None:
        say(f"{arguments.outcomes} still has the import's outcomes; results.csv has the current ones")
    return paths, source is not None
