"""Look up a call in doubt by its marker, and send it again if it is not there: all within one deadline.

The service has no idempotency key. A *marker* stands in for one: it names a field of the command that holds
a key which the caller made up and which can be queried afterwards.
"""

from __future__ import annotations

import asyncio
import functools
import operator
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

import attrs

from wosdk_async.errors import (
    InDoubtError,
    InvalidCallError,
    NoAnswerError,
    NotUniqueError,
    UnknownPropertyError,
    WosdkError,
)
from wosdk_async.model import Command, CommandResult, Record, entity_class
from wosdk_async.protocol import calls
from wosdk_async.protocol.arguments import described, require_command
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.query.builder import Query, Send
from wosdk_async.query.fields import fields
from wosdk_async.query.paths import ResolvedPath, root
from wosdk_async.query.properties import Path
from wosdk_async.suggestions import suggestion
from wosdk_async.transport.loop_state import Hold
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Marker", "Resolver"]

R = TypeVar("R")

_FIRST_WAIT, _LONGEST_WAIT = 0.25, 5.0  # seconds between two looks
_TIMES = 2  # that it was not there, before it is sent again
_FOR_LOOKS, _SHARE = 5.0, 0.25  # seconds, or of a short deadline this share, that an attempt leaves for looks


@attrs.define(kw_only=True)
class Resolver(Generic[R]):
    """Sends a call within ``seconds``, and resolves each doubt about it by looking.

    ``settle`` is for how many seconds after an attempt was given up its effect may still appear. An attempt
    ends early enough to leave time for looks. ``trace`` gets the course of the whole.
    """

    send: Callable[[float, Trace], Awaitable[R]]
    """Makes one attempt of at most that many seconds."""
    find: Callable[[float], Awaitable[R | None]]
    """Looks once, for at most that many seconds."""
    tell: Callable[[], None]
    """Called when the caller is cancelled while nobody knows, unless ``send`` has told of it."""
    hold: Hold
    seconds: float
    settle: float
    attempts: int
    trace: Trace
    _doubt: InDoubtError | None = attrs.field(default=None, init=False)
    _told: bool = attrs.field(default=False, init=False)
    _end: float = attrs.field(init=False)

    @_end.default
    def _ends(self) -> float:
        return self.hold.clock.now() + self.seconds

    @property
    def _for_looks(self) -> float:
        return min(_FOR_LOOKS, self.seconds * _SHARE)

    async def run(self) -> R:
        """Return the result, from the response or from what was found.

        Raises NoAnswerError when it was not there each time its time to settle had passed, NotUniqueError
        when several records have the key, and InDoubtError when the deadline ended before it was known.
        """
        try:
            return await self._sent_until_known()
        except asyncio.CancelledError:
            if self._doubt is not None and not self._told:
                self.tell()
            raise
        except WosdkError as error:
            trace = self.trace
            error.attempts, error.waits, error.times = trace.attempts, trace.waits, trace.times
            error.add(company=trace.company, operation=trace.operation, request_id=trace.request_id)
            raise

    async def _sent_until_known(self) -> R:
        now, doubt = self.hold.clock.now, None
        for _ in range(self.attempts):
            left = self._end - self._for_looks - now()
            if doubt is not None and left <= 0:
                break
            try:
                return await self._attempt(left)
            except InDoubtError as error:
                self._doubt = doubt = error
                found = await self._look(doubt, now() + self.settle)
            except Exception:
                if doubt is None:
                    raise
                # It says nothing of the attempts before: one of them may have taken effect meanwhile.
                found = await self._look(doubt, now())
                if found is None:
                    raise
            if found is not None:
                return found
        assert doubt is not None  # noqa: S101 - the first attempt was made
        raise NoAnswerError(
            f"not carried out: tried {self.trace.attempts} times, and not there {self.settle:g} s after any "
            f"of them ({doubt.message})",
            status=doubt.status,
        ) from doubt

    async def _attempt(self, seconds: float) -> R:
        attempt = Trace(self.trace.request_id)
        try:
            return await self.send(seconds, attempt)
        except asyncio.CancelledError:
            self._told = attempt.sent
            raise
        finally:
            self.trace.go_on(attempt)

    async def _look(self, doubt: InDoubtError, settled: float) -> R | None:
        """Look until the effect is there, or until two looks that began after ``settled`` did not find it.

        One look alone may have read the response of another: a query comes back without a RequestId.
        Raises ``doubt`` when the time is up before.
        """
        absent = 0
        now, begun = self.hold.clock.now, self.hold.clock.now()
        last = self._end - min(_FIRST_WAIT, self._for_looks / 4)  # when to begin the last look at the latest
        wait, why = _FIRST_WAIT, "there was no time to look it up"
        while not self.hold.ended and (at := now()) < self._end:
            try:
                found = await self.find(self._end - at)
            except NotUniqueError:
                raise
            except Exception as error:
                text = error.message if isinstance(error, WosdkError) else type(error).__name__
                why = f"it could not be looked up ({text})"
                if not ending_of(error).passes:
                    raise _unresolved(doubt, why) from error
            else:
                absent += at >= settled
                if found is not None or absent == _TIMES:
                    return found
                why = (
                    f"it was not there {at - begun:.3g} s later, and was not sent again because the deadline "
                    f"of {self.seconds:g} s left no time to settle (settle={self.settle:g})"
                )
            if now() >= last:
                break
            try:
                await self.hold.sleep(min(wait, max(settled - now(), _FIRST_WAIT), last - now()))
            except TimeoutError:
                break
            wait = min(2 * wait, _LONGEST_WAIT)
        raise _unresolved(doubt, "the client was closed before it was found" if self.hold.ended else why)


def _unresolved(doubt: InDoubtError, why: str) -> InDoubtError:
    doubt.args = (f"{doubt.message}; {why}",)
    return doubt


# facts 5


V = TypeVar("V", bound=CommandResult)

_ROWS = 50  # with the same key but for letter case, which the service may ignore


@attrs.frozen
class Marker(Generic[V]):
    """A key in a command, and where it is found once the command was carried out."""

    entity: type[Record]
    """What the command creates."""
    path: str
    """The property that holds the key, as the model names it: ``po_number``, ``customer.name``."""
    key: str | int
    result: type[V]
    member: str
    """The field of the result that holds what was created."""

    @classmethod
    def of(cls, command: Command[V] | str, path: str) -> Marker[V]:
        """The marker ``path`` of ``command``: ``"work_order.po_number"``.

        Raises InvalidCallError when the path leads to no key, or what it marks is not in the result.
        """
        if isinstance(command, str):
            raise InvalidCallError(f"a marker needs a command of the model, not the name {command!r}")
        require_command(command)
        if not isinstance(path, str):
            shown = repr(path) if isinstance(path, Path) else described(path)
            raise InvalidCallError(
                f"a marker is a text such as 'work_order.po_number', not {shown}; pass the path in the"
                " command"
            )
        first, _, rest = path.partition(".")
        table = type(command).__wire__
        if first not in table:
            near = suggestion(first, table)
            raise InvalidCallError(
                f"marker {path!r:.80}: {command.wire_name} has no field {first!r:.80}{near}"
            )
        name = table[first].get("of")
        entity = entity_class(name) if name and rest else None
        if entity is None:
            raise InvalidCallError(
                f"marker {path!r} of {command.wire_name}: name a record in it and the field that holds "
                "your key, as in 'work_order.po_number'"
            )
        try:
            functools.reduce(ResolvedPath.by_python, rest.split("."), root(entity))
        except UnknownPropertyError as error:  # which says what the misspelt name is near
            raise UnknownPropertyError(f"marker {path!r:.80}: {error.message}") from None
        try:
            key = operator.attrgetter(path)(command)
        except AttributeError:
            key = None
        if (
            not isinstance(key, str | int)
            or isinstance(key, bool)
            or not key
            or (isinstance(key, str) and key != key.strip())
        ):
            raise InvalidCallError(
                f"marker {path!r} of {command.wire_name} is {key!r}; give it a key of its own"
            )
        result = command.result_class()
        members = [member for member, meta in result.__wire__.items() if meta.get("of") == name]
        if len(members) != 1:
            raise InvalidCallError(f"marker {path!r}: the result of {command.wire_name} holds no {name}")
        marker = cls(entity, rest, key, result, members[0])
        _ = marker.question  # a property that cannot be asked for is told before anything is sent
        return marker

    @property
    def question(self) -> dict[str, Any]:
        """The QueryExpression that asks for everything that carries the key."""
        place = operator.attrgetter(self.path)(fields(self.entity))
        query: Query[Any] = Query(self.entity, _never)
        return query.where(place == self.key).select("*", place).limit(_ROWS).expression

    # A record can be queried as soon as it is committed: not shown; assumed.
    async def find(self, send: Send) -> V | None:
        """The result as it would have been, read from what carries the key; None when nothing does.

        Raises NotUniqueError when several do.
        """
        # One page: keys are unique. With a RequestId, so that no other response is taken for this one.
        rows = await send(calls.query(self.entity, self.question, numbered=True))
        same = [row for row in rows if self._is_key(self._value_of(row))]
        if len(same) > 1:
            ids = ", ".join(str(getattr(row, "id", "?")) for row in same)
            raise NotUniqueError(
                f"several {self.entity.wire_name} have {self.path} {self.key!r} (Id {ids}): the key was used "
                "before, or the call was carried out more than once"
            )
        return self.result(**{self.member: same[0]}) if same else None

    def _value_of(self, row: Any) -> Any:
        """Return what stands where the key should be; None where there is nothing."""
        for name in self.path.split("."):
            row = getattr(row, name, None)
        return row

    def _is_key(self, value: Any) -> bool:
        """Return whether a record that was found has the key. Raises NoAnswerError when nobody can tell."""
        if value is None:
            raise NoAnswerError(
                f"a {self.entity.wire_name} was found by {self.path} {self.key!r}, and came without it"
            )
        return str(value).strip() == str(self.key)


async def _never(_: Any) -> list[Any]:
    raise NotImplementedError
