"""What has to be true after a run. Each violation has a short name, the same for the same mistake."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import attrs

from benchmarks.simulate.backend import LOCATOR, TOKENS, Backend, Request, Row
from benchmarks.simulate.network import Network, Unit, Wire
from benchmarks.simulate.program import Boom, CallResult, Program, Verdict, contact
from benchmarks.simulate.service import Service
from wosdk_async import ConfigurationError, InvalidCallError, NoAnswerError, NotUniqueError, WosdkError

__all__ = ["Judge", "Violation"]

_LATE = 0.6  # seconds that a deadline may be missed by: timers in hundredths, busy turns of the loop
_AT_ONCE = 0.05  # seconds, in which two responses may be read in another order than they arrived
_WRITES = ("wo", "base", "update", "many")


@attrs.frozen
class Violation:
    """A broken promise."""

    name: str
    text: str


@attrs.define(eq=False)
class Judge:
    """Compares what the program was told with what the service holds."""

    network: Network
    service: Service
    backend: Backend
    program: Program
    found: list[Violation] = attrs.field(factory=list)
    windows: Counter[str] = attrs.field(factory=Counter)
    """What is wrong and documented: how often, by the name of the window."""

    def judge(self) -> list[Violation]:
        """All violations."""
        for name, text in self.backend.broken:
            self.add(name, text)
        for verdict in self.program.verdicts:
            self._verdict(verdict)
        for wire in self.network.wires:
            self._kept(wire)
        for ended in self.program.ended:
            (self._closed if ended.step.kind == "close" else self._run)(ended)
        return self.found

    def add(self, name: str, text: str) -> None:
        self.found.append(Violation(name, text))

    # --- one call -------------------------------------------------------------------------------

    def _verdict(self, verdict: Verdict) -> None:
        error, step = verdict.error, verdict.step
        self._time(verdict)
        if isinstance(error, Exception) and not isinstance(error, WosdkError):
            self.add("raw-error", f"{verdict.key}: {error!r}")
        elif isinstance(error, WosdkError):
            self._details(verdict, error)
        if step.deadline is not None and step.deadline <= 0 and self.service.seen.get(verdict.key):
            self.add("sent-after-deadline", f"{verdict.key}: deadline {step.deadline}")
        if step.kind in _WRITES:
            self._effect(verdict)
        elif (
            step.kind == "get" and verdict.how == "done" and verdict.result.id != contact(step, verdict.index)
        ):
            self._allowed_or(verdict, "foreign-record", f"{verdict.key} got {verdict.result.id}")

    def _effect(self, verdict: Verdict) -> None:
        """Compare a verdict with the store."""
        rows, key, how = self.backend.rows(verdict.key), verdict.key, verdict.how
        late = verdict.step.marker and (verdict.step.beyond or key in self.service.waited)
        if len(rows) > 1 and not late:
            self._allowed_or(verdict, "doubled", f"{key} is there {len(rows)} times, and {how}")
        if late and rows and self._beyond(verdict, rows):
            self.windows["what was done showed later than the settle time"] += 1
        elif how == "done":
            self._done(verdict, rows)
        elif how == "failed" and rows and not self._excused(verdict, rows):
            self._allowed_or(verdict, "failed-but-done", f"{key}: {verdict.error!r}, and it is there")
        elif how == "not started" and self.service.seen.get(key):
            there = "-and-done" if rows else ""
            self.add(f"not-started-but-sent{there}", f"{key} was sent {len(self.service.seen[key])} times")
        elif how == "cancelled" and rows and key not in self.program.told:
            self.add("cancelled-untold", f"{key} is there, and on_in_doubt was not told")
        if how == "not started" and verdict.step.leave == "bare" and not self._ends_early(verdict):
            self.add("bare-run-not-started", f"{key}: iterated without a block")

    def _done(self, verdict: Verdict, rows: list[Row]) -> None:
        key, result = verdict.key, verdict.result
        made = result.wo if verdict.step.kind in ("wo", "many") else result
        if made is None:
            self.add("done-without-record", f"{key} is done, and its result holds nothing")
        elif not rows:
            self._allowed_or(verdict, "done-but-lost", f"{key} is done as {made.id}, and is not there")
        elif made.id not in [row.id for row in rows]:
            self._allowed_or(verdict, "foreign-record", f"{key} is done as {made.id}: it is {rows[0].id}")

    def _beyond(self, verdict: Verdict, rows: list[Row]) -> bool:
        """Whether a verdict is wrong only because something showed later than the client had to look."""
        if verdict.how == "done":
            return len(rows) > 1
        ended = verdict.ended - _LATE
        if verdict.step.kind == "many":  # the outcome was read, but when was the call over?
            ended = self.service.seen[verdict.key][-1][1]
        shown = [row for row in rows if row.seen_from < ended]
        return verdict.how == "failed" and (not shown or isinstance(verdict.error, NoAnswerError))

    def _excused(self, verdict: Verdict, rows: list[Row]) -> bool:
        """Return whether this error makes no claim that nothing was done."""
        return isinstance(verdict.error, NotUniqueError) and len(rows) > 1

    def _ends_early(self, verdict: Verdict) -> bool:
        """Whether the run had a reason to leave inputs alone: it was cancelled."""
        return verdict.step.cancel is not None or verdict.step.cancel_at is not None

    def _time(self, verdict: Verdict) -> None:
        deadline = verdict.step.deadline
        if deadline is None or verdict.step.kind == "many":
            return
        took, most = verdict.ended - verdict.begun, max(deadline, 0.0) + _LATE
        if took > most:
            marked = "-of-a-marked-run" if verdict.step.marker else ""
            self.add(f"deadline-missed{marked}", f"{verdict.key}: {took:.2f} s of {deadline} s")

    def _details(self, verdict: Verdict, error: WosdkError) -> None:
        """An error says what it is about."""
        if isinstance(error, ConfigurationError | InvalidCallError) or verdict.step.kind == "connect":
            return
        missing = [name for name in ("company", "operation") if not getattr(error, name)]
        if verdict.step.kind in ("wo", "many") and not error.request_id:
            missing.append("request_id")
        if self.service.seen.get(verdict.key) and not error.attempts:
            missing.append("attempts")
        if missing:
            names = ", ".join(missing)
            self.add("error-without-details", f"{verdict.key}: {error!r} lacks {names}")

    # --- windows that are documented --------------------------------------------------------------

    def _allowed_or(self, verdict: Verdict, name: str, text: str) -> None:
        window = self._window(verdict.key)
        if window:
            self.windows[window] += 1
        else:
            self.add(name, text)

    def _window(self, key: str) -> str:
        """The documented window that a call has met: what it read was not its own, and did not show it.

        A base call's response names no request. One too many that arrives when the next request has left on
        the same connection cannot be told from that request's own, if it has the same form. A command's is
        believed without a RequestId until its host has sent one.
        """
        for wire in self.network.wires:
            for kind, of, unit in _read(wire):
                if of != key or (unit.key == key and not unit.surplus):
                    continue
                if unit.key == key and unit.names_request:
                    return "the response to an attempt came twice"
                if unit.form == "wait":
                    return f"{kind} believed another's request to wait"
                if kind == "command" and self._may_lack_id(wire.host, unit):
                    return "a command believed a response without RequestId"
                if _looks_right(kind, unit):
                    return f"{kind} believed another response"
        return ""

    def _may_lack_id(self, host: str, unit: Unit) -> bool:
        """Whether a response of this kind may come without a RequestId: its host has sent none so far."""
        echoed = (
            each
            for wire in self.network.wires
            if wire.host == host
            for each in wire.exchanged.units
            if each.names_request and (each.form == "error") == (unit.form == "error")
        )
        return not unit.names_request and all(each.until > unit.since - _AT_ONCE for each in echoed)

    def _kept(self, wire: Wire) -> None:
        """Nothing is sent over a connection on which a response came that is not the service's."""
        known = wire.host in (LOCATOR, TOKENS)
        for number, (kind, key, unit) in enumerate(_read(wire), 1):
            another = kind == "command" and unit.names_request and unit.key != key
            if (unit.strange or another) and not known and number < len(wire.exchanged.written):
                self.add("connection-kept", f"{wire} after {unit.form} for {key}")
                return

    # --- runs and closing -----------------------------------------------------------------------

    def _run(self, ended: CallResult) -> None:
        """Every input has exactly one outcome, or the run raised."""
        step, error = ended.step, ended.error
        counts = Counter(verdict.key for verdict in self.program.verdicts if verdict.step is step)
        twice = [key for key, count in counts.items() if count > 1]
        if twice:
            self.add("outcome-twice", f"{twice}")
        if ended.source_raised:
            if error is None:
                self.add("source-error-lost", f"step {step.number}: {len(counts)} of {len(step.fates)}")
        elif len(counts) < len(step.fates) and error is None:
            self.add("input-without-outcome", f"step {step.number}: {len(counts)} of {len(step.fates)}")
        cancelled = isinstance(error, asyncio.CancelledError)
        if isinstance(error, Exception) and not isinstance(error, Boom | WosdkError):
            self.add("raw-error", f"step {step.number}: {error!r}")
        elif cancelled and not (step.cancel or step.cancel_at or ended.source_raised):
            self.add("raw-error", f"step {step.number}: cancelled by nobody")

    def _closed(self, ended: CallResult) -> None:
        step, error = ended.step, ended.error
        if error is not None and not isinstance(error, asyncio.CancelledError):
            self.add("close-raised", f"{error!r}")
        took = ended.ended - ended.begun
        if error is None and took > step.grace + 2 + _LATE:
            self.add("close-too-slow", f"{took:.2f} s with a grace of {step.grace} s")
        first = min(each.begun for each in self.program.ended if each.step.kind == "close")
        shortest = min(
            each.begun + each.step.grace for each in self.program.ended if each.step.kind == "close"
        )
        if ended.begun == first:
            self._grace(first, shortest)

    def _grace(self, closed: float, until: float) -> None:
        """A call that was under way when the client was closed got its time to end."""
        for verdict in self.program.verdicts:
            begun = verdict.step.kind != "many" and verdict.begun < closed
            if begun and closed < verdict.ended < until - 0.05 and _by_closing(verdict.error):
                self.add("closed-without-grace", f"{verdict.key}: {verdict.error!r}")


def _by_closing(error: BaseException | None) -> bool:
    while error is not None:
        if "client was closed" in str(error) or "client is closed" in str(error):
            return True
        error = error.__cause__
    return False


def _read(wire: Wire) -> Iterator[tuple[str, str, Unit]]:
    """Kind and key of each request, and what the client took for its response: the first that came after."""
    exchanged, place = wire.exchanged, 0
    units = sorted(exchanged.units, key=lambda unit: unit.arrived)
    if not any(unit.strange or unit.surplus for unit in units):
        return
    for written, data in exchanged.written:
        while place < len(units) and units[place].arrived < written:
            place += 1
        if place == len(units):
            return
        if found := Request.parsed(wire.host, data):
            yield found[0].kind, found[0].key, units[place]
        place += 1


def _looks_right(kind: str, unit: Unit) -> bool:
    """Whether a response that is another request's looks like one to a request of this kind."""
    if kind == "command":
        return False
    if unit.form == "error" and not unit.names_request:
        return True
    return unit.form == {"create": "EntitySpecifier Contact", "look": "Entities"}.get(kind)
