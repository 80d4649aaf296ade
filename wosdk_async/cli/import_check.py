"""``wosdk import --check``: report what an import would do, without writing anything."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import attrs
import click

from wosdk_async.cli.exit_codes import CliError, Exit, reporting_if_slow, say
from wosdk_async.cli.import_arguments import ImportArguments
from wosdk_async.cli.import_run import require_new, require_outcomes, say_sheet
from wosdk_async.cli.options import TEMPORARY
from wosdk_async.cli.output.reporting import COMMAND_WORDS, say_cause, shown_remedies
from wosdk_async.cli.runner import connected
from wosdk_async.cli.texts import counted, in_commands, json_text, plan_text, visible
from wosdk_async.errors import WosdkError
from wosdk_async.jobs import ImportMap
from wosdk_async.jobs.imports.check import Check
from wosdk_async.jobs.imports.check_result import FINDINGS, CheckResult, Finding
from wosdk_async.jobs.imports.inputs import open_input
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.jobs.ledger.request import company_identity
from wosdk_async.jobs.ledger.terms import Plan, Refusal
from wosdk_async.jobs.sources.spool import is_remote, shown_source
from wosdk_async.options.hooks import DryRun
from wosdk_async.regular_files import replace_file
from wosdk_async.text.formula_guard import without_formulas
from wosdk_async.text.safe_text import one_line

_SHOWN = 10  # maximum causes shown, and maximum warnings
_VALUES = 20  # maximum values shown for a cause
_NAMED = ("missing", "ambiguous")  # causes that are always shown, because they name a wrong value
_COLUMNS = ("row", "line", "outcome", "key", "ids", "reason", "warnings")


def check_import(arguments: ImportArguments) -> Exit:
    """Print what an import would do, and return the exit status."""
    require_outcomes(arguments)
    if arguments.outcomes is not None:
        require_new(arguments.outcomes, arguments.force)
    import_map = ImportMap.load(arguments.map_file, operation=arguments.operation)
    sandbox = arguments.sandbox
    if sandbox is not None and sandbox != TEMPORARY and not Path(sandbox).exists():
        sandbox = TEMPORARY  # a temporary store has the same records as a new one at this path
    workers = arguments.workers(say)
    with ExitStack() as exits:
        folder = arguments.options.folder
        if is_remote(arguments.file):  # the downloaded copy is deleted after the check
            folder = Path(exits.enter_context(tempfile.TemporaryDirectory())) / "job"
        with reporting_if_slow(f"reading {shown_source(arguments.file)}"):
            found = open_input(
                arguments.file, folder, **attrs.asdict(arguments.reading.with_rules(import_map.rules))
            )
        say_sheet(found.source)
        dry = DryRun()
        options = attrs.evolve(arguments.options, folder=folder)
        check = Check(
            found.source,
            import_map,
            dry,
            options=options,
            sample=arguments.sample,
            rate=arguments.rate,
            workers=workers,
            words=COMMAND_WORDS,
        )
        # Not read-only, so that the hook ``dry`` gets the calls that would change something. The hook stops
        # all of them.
        target = attrs.evolve(arguments.target, read_only=False)
        connection = connected(target, sandbox, rate=arguments.rate, before_send=dry)
        runner, store = exits.enter_context(connection)
        runner.run(runner.company.connect())
        identity = store or company_identity(runner.company)
        on_row = exits.enter_context(_row_writer(arguments.outcomes))
        result = runner.run(check.run(runner.company, identity=identity, on_row=on_row))
    if arguments.as_json:
        click.echo(json_text(result.as_dict()))
    else:
        _print(result, arguments.outcomes)
    if isinstance(result.decision, Refusal):
        refused = ImportRefusedError(result.decision)
        raise CliError(f"the import would be refused: {refused.shown(in_commands)}")
    return Exit.DONE if result.complete else Exit.SOME


@contextmanager
def _row_writer(path: Path | None) -> Iterator[Callable[[Finding], None] | None]:
    """Yield a function that writes a row to a CSV file; None without ``path``.

    The file replaces ``path`` when the block ends.
    """
    if path is None:
        yield None
        return

    def write(row: Finding) -> None:
        texts = (row.reason, "; ".join(row.warnings))
        ids = _safe(" ".join(map(str, row.ids)))
        writer.writerow((row.row, row.line, row.kind, _safe(row.key), ids, *map(_safe, texts)))

    try:
        with replace_file(path, named_by_user=True) as file:
            text = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
            writer = csv.writer(text, lineterminator="\r\n")
            writer.writerow(_COLUMNS)
            yield write
            text.detach()  # flushes the text, and leaves the file open for replace_file()
    except OSError as error:
        if isinstance(error, WosdkError):  # the error of an unreachable Company is also an OSError
            raise
        raise CliError(f"{path}: {error.strerror or error}; name another file", Exit.UNWRITTEN) from error


def _safe(text: str) -> str:
    return without_formulas(one_line(text))


def _print(result: CheckResult, outcomes: Path | None) -> None:
    if isinstance(result.decision, Refusal):  # counts would mislead, because no row would be sent
        say("nothing was written")
        return
    sample = f", {result.checked} of them checked" if result.checked != result.rows else ""
    empty = f"; {counted(result.empty_rows, 'empty row')} skipped" if result.empty_rows else ""
    words = {**FINDINGS, "would_send": f"would be {result.label.replace('done', 'carried out')}"}
    counts = ", ".join(f"{result.counts[kind]} {words[kind]}" for kind in FINDINGS if result.counts[kind])
    click.echo(f"{counted(result.rows, 'row')}{sample}: {counts or 'none'}{empty}")
    if result.sent_again:
        click.echo(f"{counted(result.sent_again, 'row')} that failed before would be retried")
    if result.lacking:
        click.echo(f"{counted(result.lacking, 'row')} would probably be refused; see the warnings")
    for name, number in result.new_records.items():
        click.echo(f"{counted(number, 'record')} for {visible(name)} would be created first")
    # An estimate below one second is left out, because the client itself takes longer than the calls.
    seconds = result.seconds or 0
    about = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
    took = "" if seconds < 1 else f", about {about}"
    click.echo(f"{counted(result.calls, 'call')}{took}")
    if result.job is not None and isinstance(result.decision, Plan):
        text = plan_text(result.decision, result.label)
        click.echo(f"job in {visible(str(result.job.folder))}: {visible(text)}")
    click.echo("\ncolumns and filled rows")
    total = f"{result.rows:,}"
    for name, filled in result.filled.items():
        unused = "" if name in result.used else "  not used by the map"
        click.echo(f"  {filled:>{len(total)},} of {total}  {visible(name)}{unused}")
    if result.requests:
        click.echo(
            "\nfirst requests" + (", with 1 in place of the ids of new records" if result.new_records else "")
        )
        for request in result.requests:
            click.echo(f"  row {request['row']}: {request['method']} {request['path']}")
            if request["body"] is not None:
                click.echo(f"    {json_text(request['body'])}")
    _print_problems(result, outcomes)
    for each in (*result.lacks.values(), *result.cautions.values()):
        say_cause(f"warning: {each.reason}", [each.first, *each.more], each.count)
    for warning in result.warnings[:_SHOWN]:
        say(f"warning: {warning}")
    say("nothing was written" if outcomes is None else f"nothing was written except {outcomes}")


def _print_problems(result: CheckResult, outcomes: Path | None) -> None:
    """Print why rows would not be sent: wrong names first, then the most frequent causes."""
    causes = sorted(result.causes.values(), key=lambda each: (each.kind not in _NAMED, -each.count))
    shown = [each for each in causes if each.kind in _NAMED] + [
        each for each in causes if each.kind not in _NAMED
    ][:_SHOWN]
    for each in shown:
        reason = f": {each.reason}" if each.reason else ""
        say_cause(f"{FINDINGS[each.kind]}{reason}", [each.first, *each.more], each.count)
        if len(each.values) > 1:
            common = each.values.most_common(_VALUES)
            values = ", ".join(f"{value} ({count})" if count > 1 else value for value, count in common)
            say(f"values: {values}{', ...' if len(each.values) > _VALUES else ''}")
    if result.counts["there"]:
        say(shown_remedies(result.existing))
    if len(causes) > len(shown):
        say(f"and {counted(len(causes) - len(shown), 'more cause')}")
    if result.problems > len(shown):
        say(f"{outcomes} has all rows" if outcomes else "to list all rows, add --outcomes FILE.csv")
