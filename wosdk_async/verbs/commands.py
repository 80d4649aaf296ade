"""The verbs for commands: one, many at once, and paths that no verb covers."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from typing import Any, TypeVar, overload

import attrs

from wosdk_async.bulk import Run
from wosdk_async.connected import Connected
from wosdk_async.model import Command, CommandResult
from wosdk_async.protocol import calls
from wosdk_async.protocol.validation.arguments import refuse_keywords
from wosdk_async.protocol.wire import Call
from wosdk_async.query.builder import Send
from wosdk_async.reconcile import Marker, Resolver
from wosdk_async.transport.dispatcher import CallOptions
from wosdk_async.transport.telemetry.trace import Trace

__all__ = ["Commands"]

I = TypeVar("I")  # noqa: E741 - an input
R = TypeVar("R", bound=CommandResult)

_LONGEST_LOOK = 60.0  # seconds: what any call that is safe to repeat may take


class Commands(Connected):
    """Workflow commands."""

    # spec 4.2

    @overload
    async def run(self, command: Command[R], *, marker: str | None = None, check: bool = True) -> R: ...
    @overload
    async def run(self, command: str, fields: Mapping[str, Any], *, check: bool = True) -> dict[str, Any]: ...
    async def run(
        self,
        command: Command[Any] | str,
        fields: Mapping[str, Any] | None = None,
        *,
        marker: str | None = None,
        check: bool = True,
        **unknown: Any,
    ) -> Any:
        """Run a command and return its result; ``run("AnyName", {...})`` for one the catalogue does not know.

        Args:
            command: the command, or its name.
            fields: what a command that is named carries.
            marker: where a command carries a key of your own that can be queried, as in
                ``run(WoCreateCommand(work_order=order), marker="work_order.po_number")``. When the outcome
                is in doubt the record with this key is looked for until the ``settle`` time of the options
                has passed since the last attempt. If it is there the result holds it; else the command is
                sent again. The deadline holds for all of it. See ``docs/failures.md`` for the window that
                remains.
            check: refuse what the service would refuse or drop before it is sent.

        Raises InvalidCallError for what is refused here, and InDoubtError when the command may have been
        carried out though no answer says so. With a marker, NotUniqueError when several records have the
        key, and InDoubtError only when the deadline ended before it had settled, or the key could not be
        queried.
        """
        if unknown:
            refuse_keywords("run", unknown, ("marker", "check"))
        mark = Marker.of(command, marker) if marker is not None else None
        call = calls.command(command, fields, check=check)
        if mark is not None:
            return await self._resolved(call, mark)
        return await self._send(call)

    @overload
    def run_many(
        self,
        inputs: Iterable[Command[R]] | AsyncIterable[Command[R]],
        *,
        marker: str | None = None,
        limit: int = 32,
        grace: float = 30.0,
        keep_replies: bool = False,
    ) -> Run[Command[R], R]: ...
    @overload
    def run_many(
        self,
        inputs: Iterable[I] | AsyncIterable[I],
        *,
        command: Callable[[I], Command[R]],
        marker: str | None = None,
        limit: int = 32,
        grace: float = 30.0,
        keep_replies: bool = False,
    ) -> Run[I, R]: ...
    def run_many(
        self,
        inputs: Iterable[Any] | AsyncIterable[Any],
        *,
        command: Callable[[Any], Command[Any]] | None = None,
        marker: str | None = None,
        limit: int = 32,
        grace: float = 30.0,
        keep_replies: bool = False,
        **unknown: Any,
    ) -> Run[Any, Any]:
        """Run many commands at once: one outcome for each input, in the order in which they end.

        Args:
            inputs: commands, or anything from which ``command`` makes one; sync or async, of any length.
            command: makes the command of an input when its turn comes; what it raises fails that input only.
            marker: where each command carries a key of its own, as for :meth:`run`.
            limit: calls under way at the most, and outcomes that wait to be read.
            grace: seconds that calls under way get when the block is cancelled or left by an exception.
            keep_replies: put the raw answer of each call into its outcome, as ``reply``.

        See :class:`~wosdk_async.bulk.Run` for what leaving the block early means.
        """
        if unknown:
            refuse_keywords("run_many", unknown, ("command", "marker", "limit", "grace", "keep_replies"))

        async def call(item: Any, trace: Trace) -> Any:
            made = command(item) if command is not None else item
            mark = Marker.of(made, marker) if marker is not None else None
            sent = calls.command(made)
            trace.company, trace.operation, trace.request_id = self.name, sent.operation, sent.request_id
            trace.repeat_safe = sent.repeat_safe
            if mark is not None:
                return await self._resolved(sent, mark, trace)
            return await self._send(sent, trace)

        return Run(inputs, call, limit=limit, grace=grace, keep_replies=keep_replies)

    async def post(self, path: str, body: Any, *, repeat_safe: bool = False) -> Any:
        """POST ``body`` to a path below ``api/v1/`` that no verb covers, and return the JSON of the answer.

        For what is documented without its answers, such as the batch endpoints::

            await acme.post("batch/Get", [BatchEntityRequestItem(entity_type="Customer", id=512)])

        Args:
            path: names joined by ``/``.
            body: JSON values and objects of the model; nothing in it is checked.
            repeat_safe: whether sending it twice does no harm, so that it may be sent again.
        """
        # facts 3.2
        return await self._send(calls.post(path, body, repeat_safe=repeat_safe))

    async def _resolved(self, call: Call[Any], marker: Marker[Any], trace: Trace | None = None) -> Any:
        """Send a command that carries a key of the caller's own, and look it up when it is in doubt."""
        transport, sessions, options = self._transport, self._sessions, self._options
        whole = trace or self._trace_of(call)
        with transport.hold() as hold:

            def within(seconds: float) -> CallOptions:
                return attrs.evolve(options, deadline=max(seconds, 0.0))

            def look(seconds: float) -> Send:
                limit = within(min(seconds, _LONGEST_LOOK))
                return lambda query: transport.send(query, sessions, limit, hold=hold)

            try:
                return await Resolver(
                    send=lambda seconds, own: transport.send(call, sessions, within(seconds), own, hold),
                    find=lambda seconds: marker.find(look(seconds)),
                    tell=lambda: transport.report_in_doubt(call, sessions),
                    hold=hold,
                    seconds=options.seconds(call),
                    settle=options.settle,
                    attempts=options.retry.attempts,
                    trace=whole,
                ).run()
            finally:
                if trace is None and self._trace is not None:
                    whole.effect = whole.sent
                    self._trace.become(whole)
