"""Preview, confirmation, concurrent execution and report of record changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import click

from wosdk_async import Company, DryRun, Trace, codec
from wosdk_async.cli.exit_codes import CliError, Exit, advice, say, say_sent, status_of, writing
from wosdk_async.cli.options import target_of
from wosdk_async.cli.output.files import opened, require_stdout
from wosdk_async.cli.runner import Runner, confirm
from wosdk_async.cli.texts import MAX_LINE, brief_line, counted, json_text, message_of, visible
from wosdk_async.codec.masking import mask_fields, mask_text
from wosdk_async.errors import InDoubtError, WosdkError
from wosdk_async.text.safe_text import one_line, shortened

_AT_ONCE = 32  # concurrent changes
_SHOWN = 20  # changes listed in the preview
_MAX_LABEL = 200  # characters
_MAX_BODY = 1000  # characters per request with --dry-run and without --json


@attrs.frozen
class ChangeResult:
    """Result of a change: text for the terminal, and fields for the JSON output."""

    text: str
    facts: dict[str, Any] = attrs.field(factory=dict)


def _label(text: str) -> str:
    return visible(shortened(text, _MAX_LABEL))


@attrs.define(kw_only=True)
class RecordChange:
    """A change to one record, and its outcome."""

    label: str = attrs.field(converter=_label)
    """Record name in the output and prompt, such as a work order number."""
    facts: dict[str, Any]
    """JSON output fields known before the change."""
    make: Callable[[Company], Awaitable[ChangeResult]]
    shown: tuple[str, ...] = ()
    """Preview lines; if empty, the label is shown."""
    look_command: str | None = None
    """Command that shows the effect of a call in doubt."""
    outcome: ChangeResult | WosdkError | None = None
    trace: Trace | None = None

    async def run(self, company: Company, slot: asyncio.Semaphore) -> None:
        """Make the change and store the outcome."""
        async with slot:
            self.trace = Trace()
            try:
                self.outcome = await self.make(company.traced(self.trace))
            except WosdkError as error:
                error.add(id=self.facts.get("id"))  # the remedy may name the id
                self.outcome = error

    @property
    def status(self) -> Exit:
        """The exit status for the outcome."""
        if self.partly_done:
            return Exit.SOME
        return status_of(self.outcome) if isinstance(self.outcome, WosdkError) else Exit.DONE

    @property
    def done(self) -> bool:
        """Whether the change was made."""
        return isinstance(self.outcome, ChangeResult)

    @property
    def partly_done(self) -> bool:
        """Whether the change failed after at least one of its calls took effect."""
        failed = isinstance(self.outcome, WosdkError) and not isinstance(self.outcome, InDoubtError)
        return failed and self.trace is not None and self.trace.effect

    @property
    def _error(self) -> str:
        return mask_text(message_of(self.outcome)) if isinstance(self.outcome, WosdkError) else ""

    def message(self) -> str:
        """Return the error with its remedy."""
        text = f"{self.label}: {self._error}"
        if isinstance(self.outcome, InDoubtError):
            return f"{text}. {advice(self.look_command)}"
        if self.partly_done:
            return f"{text}. Part of the change was already made. {advice(self.look_command)}"
        return text

    def as_json(self) -> str:
        """Return the outcome as a JSON object."""
        if isinstance(self.outcome, ChangeResult):
            more = {"outcome": "done", **self.outcome.facts}
        else:
            doubt = isinstance(self.outcome, InDoubtError)
            outcome = "in doubt" if doubt else "partly done" if self.partly_done else "failed"
            more = {"outcome": outcome, "error": self._error}
        return json_text({**self.facts, **more})


@attrs.frozen(kw_only=True)
class ChangeSession:
    """Connection and options of a command that changes records."""

    runner: Runner
    yes: bool
    as_json: bool
    dry: DryRun | None

    @classmethod
    @contextmanager
    def open(cls, ctx: click.Context, *, yes: bool, dry_run: bool, as_json: bool) -> Iterator[ChangeSession]:
        """Open a session. Raises CliError before anything is sent if ``--read-only`` is set."""
        target = target_of(ctx)
        if target.read_only:
            raise CliError(f"--read-only: {ctx.info_name} changes records, so nothing is sent")
        require_stdout()
        dry = DryRun() if dry_run else None
        with Runner(target, before_send=dry) as runner:
            runner.run(runner.company.connect())
            yield cls(runner=runner, yes=yes, as_json=as_json, dry=dry)

    def carry_out(
        self, what: str, question: str, changes: Sequence[RecordChange], *, at_once: int = _AT_ONCE
    ) -> None:
        """Preview the changes, ask for confirmation, make the changes, and report each in order.

        Raises CliError if the user declines or cannot be asked, and Exit if a change failed or is in doubt.
        """
        for change in changes[:_SHOWN]:
            for line in change.shown or (change.label,):
                click.echo(f"  {one_line(shortened(line, MAX_LINE))}", err=True)
        if len(changes) > _SHOWN:
            click.echo(f"  and {len(changes) - _SHOWN} more", err=True)
        confirm(self.runner.company, what, question, ask=not (self.yes or self.dry))
        try:
            self.runner.run(_make_all(self.runner.company, changes, at_once))
        except KeyboardInterrupt:
            if unwritten := self._report(changes):
                say(unwritten.message)
            for change in changes:
                if change.outcome is None and change.trace is not None and change.trace.effect:
                    say_sent(f"the change of {change.label}", change.trace.request_id, change.look_command)
            raise
        unwritten, status = self._report(changes), _status(changes)
        if unwritten is not None:
            if status is not Exit.IN_DOUBT and any(change.done for change in changes):
                raise unwritten
            say(unwritten.message)
        if status:
            raise click.exceptions.Exit(status)

    def _report(self, changes: Sequence[RecordChange]) -> CliError | None:
        """Write results to stdout, failures to stderr.

        If stdout is not writable, return the error instead of raising it, so that the caller can first report
        a call in doubt.
        """
        unwritten = None
        ended = [change for change in changes if change.outcome is not None]
        done = [change for change in ended if change.done]
        try:
            with writing(f"{len(done)} of {counted(len(changes), 'change')} made"), opened() as file:
                file.write("".join(f"{line}\n" for line in self._lines(ended)))
        except CliError as error:
            unwritten = error
        finally:
            for change in ended:
                if not change.done:
                    say(change.message())
        if self.dry is not None:
            say("--dry-run: nothing was sent")
        return unwritten

    def _lines(self, ended: Sequence[RecordChange]) -> list[str]:
        if self.dry is not None:
            return [_request(call, self.as_json) for _, call in self.dry.calls]
        if self.as_json:
            return [change.as_json() for change in ended]
        results = ((change.label, change.outcome) for change in ended)
        return [brief_line(f"{label}: {one.text}") for label, one in results if isinstance(one, ChangeResult)]


async def _make_all(company: Company, changes: Sequence[RecordChange], at_once: int) -> None:
    slot = asyncio.Semaphore(at_once)
    async with asyncio.TaskGroup() as group:
        for change in changes:
            group.create_task(change.run(company, slot))


def _status(changes: Sequence[RecordChange]) -> Exit:
    """Return a single change's status; for several, 7 if one is in doubt, 1 if one failed, otherwise 0."""
    found = [change.status for change in changes if change.status is not Exit.DONE]
    if not found or Exit.IN_DOUBT in found:
        return Exit.IN_DOUBT if found else Exit.DONE
    return found[0] if len(changes) == 1 else Exit.SOME


def _request(call: Any, as_json: bool) -> str:
    body = mask_fields(codec.loads(call.body)) if call.body else None
    if as_json:
        return json_text({"method": call.method, "path": call.path, "body": body})
    text = f"{call.method} {call.path}" + (f" {json_text(body)}" if body is not None else "")
    cut = f"... ({len(text)} characters; --json shows all)" if len(text) > _MAX_BODY else ""
    return one_line(text[:_MAX_BODY] + cut)
