"""The verbs for commands: one, many at once, and paths that no verb covers."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from typing import Any, TypeVar, overload

from wosdk_async import calls
from wosdk_async.connected import Connected
from wosdk_async.fanout import Run
from wosdk_async.marker import Marker, Resolver
from wosdk_async.model import Command, CommandResult
from wosdk_async.transport.trace import Trace
from wosdk_async.wire import Call

__all__ = ["Commands"]

I = TypeVar("I")  # noqa: E741 - an input
R = TypeVar("R", bound=CommandResult)


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
    ) -> Any:
        """Run a command and return its result; ``run("AnyName", {...})`` for one the catalogue does not know.

        Args:
            command: the command, or its name.
            fields: what a command that is named carries.
            marker: where a command carries a key of your own that can be queried, as in
                ``run(WoCreateCommand(work_order=order), marker="work_order.po_number")``. When the outcome
                is in doubt the record with this key is looked for until the ``settle`` time of the options
                has passed since the last attempt. If it is there the result holds it; else the command is
                sent again. See ``docs/failures.md`` for the window that remains.
            check: refuse what the service would refuse or drop before it is sent.

        Raises InvalidCallError for what is refused here, and InDoubtError when the command may have been
        carried out though no answer says so. With a marker, NotUniqueError when several records have the
        key, and InDoubtError only when they could not be queried.
        """
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
    ) -> Run[Any, Any]:
        """Run many commands at once: one outcome for each input, in the order in which they end.

        Args:
            inputs: commands, or anything from which ``command`` makes one; sync or async, of any length.
            command: makes the command of an input when its turn comes; what it raises fails that input only.
            marker: where each command carries a key of its own, as for :meth:`run`.
            limit: calls under way at the most, and outcomes that wait to be read.
            grace: seconds that calls under way get when the block is cancelled or left by an exception.
            keep_replies: put the raw answer of each call into its outcome, as ``reply``.

        See :class:`~wosdk_async.fanout.Run` for what leaving the block early means.
        """

        async def call(item: Any, trace: Trace) -> Any:
            made = command(item) if command is not None else item
            mark = Marker.of(made, marker) if marker is not None else None
            if mark is not None:
                return await self._resolved(calls.command(made), mark, trace)
            return await self._send(calls.command(made), trace)

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
        return await Resolver(
            once=lambda: self._send(call, trace),
            find=lambda: marker.find(lambda query: self._send(query, Trace())),
            cancelled=lambda: self._transport.tell_in_doubt(call, self._sessions),
            clock=self._transport.clock,
            settle=self._options.settle,
            attempts=self._options.retry.attempts,
        ).run()
