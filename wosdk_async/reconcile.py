"""Look up a call in doubt by its marker, and send it again if it is not there: all within one deadline.

The service has no idempotency key. A *marker* replaces it: it names a field of the command that holds a key,
which the caller made up and which a query can find afterwards.
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
from wosdk_async.query.builder import Send
from wosdk_async.query.fields import fields
from wosdk_async.query.paths import ResolvedPath, root
from wosdk_async.query.plan import Plan, condition_of, selected
from wosdk_async.query.properties import Path
from wosdk_async.suggestions import suggestion
from wosdk_async.transport.loop_state import Hold
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Marker", "Reconciler"]

R = TypeVar("R")

_FIRST_WAIT, _LONGEST_WAIT = 0.25, 5.0  # seconds between two lookups
_ABSENCES = 2  # lookups that find nothing, before the call is sent again
_FOR_LOOKUPS = 5.0  # seconds before the deadline that an attempt leaves for lookups
_SHARE = 0.25  # of the deadline that lookups get at most


@attrs.define(kw_only=True)
class Reconciler(Generic[R]):
    """Sender of one call within ``seconds`` that looks the call up after each doubt about it."""

    send: Callable[[float, Trace], Awaitable[R]]
    """Function that makes one attempt of at most that many seconds."""
    find: Callable[[float], Awaitable[R | None]]
    """Function that makes one lookup of at most that many seconds."""
    report: Callable[[], None]
    """Function to call when the caller is cancelled during a doubt, unless ``send`` has reported it."""
    hold: Hold
    seconds: float
    commit_window: float
    """Seconds after an attempt was given up in which its effect may still appear."""
    attempts: int
    trace: Trace
    """Trace of the whole: all attempts and waits."""
    _doubt: InDoubtError | None = attrs.field(default=None, init=False)
    _reported: bool = attrs.field(default=False, init=False)
    _end: float = attrs.field(init=False)

    @_end.default
    def _default_end(self) -> float:
        return self.hold.clock.now() + self.seconds

    @property
    def _for_lookups(self) -> float:
        """Seconds that an attempt leaves for lookups before the deadline."""
        return min(_FOR_LOOKUPS, self.seconds * _SHARE)

    async def run(self) -> R:
        """Return the result, from the response or from the record that was found.

        Raises:
            NoAnswerError: After each attempt the record was not there when its commit window had passed.
            NotUniqueError: Several records have the key.
            InDoubtError: The deadline ended before the outcome was known.
        """
        try:
            return await self._send_until_known()
        except asyncio.CancelledError:
            if self._doubt is not None and not self._reported:
                self.report()
            raise
        except WosdkError as error:
            trace = self.trace
            error.attempts, error.waits, error.times = trace.attempts, trace.waits, trace.times
            error.add(company=trace.company, operation=trace.operation, request_id=trace.request_id)
            raise

    async def _send_until_known(self) -> R:
        now, doubt = self.hold.clock.now, None
        for _ in range(self.attempts):
            left = self._end - self._for_lookups - now()
            if doubt is not None and left <= 0:
                break
            try:
                return await self._attempt(left)
            except InDoubtError as error:
                self._doubt = doubt = error
                found = await self._look_up(doubt, now() + self.commit_window)
            except Exception:
                if doubt is None:
                    raise
                # It says nothing of the attempts before: one of them may have taken effect meanwhile.
                found = await self._look_up(doubt, now())
                if found is None:
                    raise
            if found is not None:
                return found
        assert doubt is not None  # noqa: S101 - the first attempt was made
        raise NoAnswerError(
            f"not carried out: tried {self.trace.attempts} times, and not there {self.commit_window:g} s "
            f"after any of them ({doubt.message})",
            status=doubt.status,
        ) from doubt

    async def _attempt(self, seconds: float) -> R:
        attempt = Trace(self.trace.request_id)
        try:
            return await self.send(seconds, attempt)
        except asyncio.CancelledError:
            self._reported = attempt.sent
            raise
        finally:
            self.trace.go_on(attempt)

    async def _look_up(self, doubt: InDoubtError, settled: float) -> R | None:
        """Look until the effect is there, or until two lookups that began after ``settled`` did not find it.

        One lookup alone may have read the response of another: a query comes back without a RequestId.
        Raises ``doubt`` when the deadline ends before.
        """
        absent = 0
        now, begun = self.hold.clock.now, self.hold.clock.now()
        last = self._end - min(_FIRST_WAIT, self._for_lookups / 4)  # the last lookup begins by then
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
                if found is not None or absent == _ABSENCES:
                    return found
                why = (
                    f"it was not there {at - begun:.3g} s later, and was not sent again because the deadline "
                    f"of {self.seconds:g} s left no time to settle (settle={self.commit_window:g})"
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


# --- markers --------------------------------------------------------------------------------

V = TypeVar("V", bound=CommandResult)

_ROWS = 50  # with the same key but for letter case, which the service may ignore


@attrs.frozen
class Marker(Generic[V]):
    """A key in a command, and where to find it once the command was carried out."""

    # facts 5

    entity: type[Record]
    """Entity that the command creates."""
    path: str
    """Property that holds the key, as the model names it: ``po_number``, ``customer.name``."""
    key: str | int
    result: type[V]
    member: str
    """Field of the result that holds the created record."""

    @classmethod
    def of(cls, command: Command[V] | str, path: str) -> Marker[V]:
        """Return the marker at ``path`` of ``command``, such as ``"work_order.po_number"``.

        Raises InvalidCallError when there is no key at the path, or the result does not hold the record.
        """
        if isinstance(command, str):
            raise InvalidCallError(f"a marker needs a command of the model, not the name {command!r}")
        require_command(command)
        entity, rest = _marked_record(command, path)
        key = _key_at(command, path)
        result = command.result_class()
        name = entity.wire_name
        members = [member for member, meta in result.__wire__.items() if meta.get("of") == name]
        if len(members) != 1:
            raise InvalidCallError(f"marker {path!r}: the result of {command.wire_name} holds no {name}")
        marker = cls(entity, rest, key, result, members[0])
        marker.lookup_expression()  # raises if the property cannot be queried, before anything is sent
        return marker

    def lookup_expression(self) -> dict[str, Any]:
        """Return the QueryExpression that finds all records with the key."""
        marked = operator.attrgetter(self.path)(fields(self.entity))
        plan = Plan(self.entity)
        condition, path = condition_of(plan, marked == self.key), selected(plan, marked)
        plan = attrs.evolve(plan, conditions=(condition,), properties=("*", path))
        return plan.expression(Count=_ROWS)

    # A record can be queried as soon as it is committed: not shown; assumed.
    async def find(self, send: Send) -> V | None:
        """Return the result as it would have been, read from the record with the key; None without one.

        Raises NotUniqueError when several records have the key.
        """
        # One page: keys are unique. With a RequestId, so that no other response is taken for this one.
        rows = await send(calls.query(self.entity, self.lookup_expression(), numbered=True))
        same = [row for row in rows if self._has_key(row)]
        if len(same) > 1:
            ids = ", ".join(str(getattr(row, "id", "?")) for row in same)
            raise NotUniqueError(
                f"several {self.entity.wire_name} have {self.path} {self.key!r} (Id {ids}): the key was used "
                "before, or the call was carried out more than once"
            )
        return self.result(**{self.member: same[0]}) if same else None

    def _has_key(self, row: Any) -> bool:
        """Return whether a record has the key. Raises NoAnswerError when it came without the property."""
        value = row
        for name in self.path.split("."):
            value = getattr(value, name, None)
        if value is None:
            raise NoAnswerError(
                f"a {self.entity.wire_name} was found by {self.path} {self.key!r}, and came without it"
            )
        return str(value).strip() == str(self.key)


def _marked_record(command: Command[Any], path: str) -> tuple[type[Record], str]:
    """Return the class of the record that a marker names, and the path of the key in it."""
    if not isinstance(path, str):
        shown = repr(path) if isinstance(path, Path) else described(path)
        raise InvalidCallError(
            f"a marker is a text such as 'work_order.po_number', not {shown}; pass the path in the command"
        )
    first, _, rest = path.partition(".")
    table = type(command).__wire__
    if first not in table:
        near = suggestion(first, table)
        raise InvalidCallError(f"marker {path!r:.80}: {command.wire_name} has no field {first!r:.80}{near}")
    name = table[first].get("of")
    entity = entity_class(name) if name and rest else None
    if entity is None:
        raise InvalidCallError(
            f"marker {path!r} of {command.wire_name}: name a record in it and the field that holds "
            "your key, as in 'work_order.po_number'"
        )
    try:
        functools.reduce(ResolvedPath.by_python, rest.split("."), root(entity))
    except UnknownPropertyError as error:  # its message suggests a similar name
        raise UnknownPropertyError(f"marker {path!r:.80}: {error.message}") from None
    return entity, rest


def _key_at(command: Command[Any], path: str) -> str | int:
    """Return the key at ``path``. Raises InvalidCallError when there is none."""
    try:
        key = operator.attrgetter(path)(command)
    except AttributeError:
        key = None
    is_key = isinstance(key, str | int) and not isinstance(key, bool) and key
    if not is_key or (isinstance(key, str) and key != key.strip()):
        raise InvalidCallError(f"marker {path!r} of {command.wire_name} is {key!r}; give it a key of its own")
    found: str | int = key
    return found
