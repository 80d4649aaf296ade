"""Checks after a run. Each violation has a short name, the same for the same mistake."""

from __future__ import annotations

import asyncio
from collections import Counter

import attrs

from tests.simulation.client.backend import LOCATOR_HOST, TOKEN_HOST, Backend
from tests.simulation.client.messages import Effect
from tests.simulation.client.network import Network
from tests.simulation.client.outcomes import CallOutcome, ProgramError, StepResult, contact_id
from tests.simulation.client.program import Program
from tests.simulation.client.service import Service
from tests.simulation.client.windows import documented_window, odd_responses_read
from tests.simulation.client.wire import Wire
from wosdk_async import ConfigurationError, InvalidCallError, NoAnswerError, NotUniqueError, WosdkError

_LATE = 0.6  # seconds by which a deadline may be missed: coarse timers, slow turns of the loop
_WRITES = ("wo", "base", "update", "many")


@attrs.frozen
class Violation:
    """A broken promise."""

    name: str
    text: str


@attrs.define(eq=False)
class Checker:
    """Comparison of the outcomes that the program saw with the effects in the service."""

    network: Network
    service: Service
    backend: Backend
    program: Program
    found: list[Violation] = attrs.field(factory=list)
    windows: Counter[str] = attrs.field(factory=Counter)
    """Number of outcomes in each documented window."""

    def check(self) -> list[Violation]:
        for name, text in self.backend.broken:
            self.add(name, text)
        for outcome in self.program.outcomes:
            self._check_call(outcome)
        for wire in self.network.wires:
            self._check_kept(wire)
        for result in self.program.step_results:
            (self._check_close if result.step.kind == "close" else self._check_run)(result)
        return self.found

    def add(self, name: str, text: str) -> None:
        self.found.append(Violation(name, text))

    # --- one call -------------------------------------------------------------------------------

    def _check_call(self, outcome: CallOutcome) -> None:
        error, step = outcome.error, outcome.step
        self._check_time(outcome)
        if isinstance(error, Exception) and not isinstance(error, WosdkError):
            self.add("raw-error", f"{outcome.key}: {error!r}")
        elif isinstance(error, WosdkError):
            self._check_details(outcome, error)
        if step.deadline is not None and step.deadline <= 0 and self._was_sent(outcome):
            self.add("sent-after-deadline", f"{outcome.key}: deadline {step.deadline}")
        if step.kind in _WRITES:
            self._check_effect(outcome)
        elif (
            step.kind == "get"
            and outcome.kind == "done"
            and outcome.result.id != contact_id(step, outcome.index)
        ):
            self._allowed_or(outcome, "foreign-record", f"{outcome.key} got {outcome.result.id}")

    def _check_effect(self, outcome: CallOutcome) -> None:
        effects, key, kind = self.backend.effects(outcome.key), outcome.key, outcome.kind
        others = self._others(outcome)
        late = outcome.step.marker and (outcome.step.beyond_settle or key in self.service.waited)
        if len(effects) > 1 and not late:
            self._allowed_or(outcome, "doubled", f"{key} is there {len(effects)} times, and {kind}")
        if late and effects and self._beyond_settle(outcome, effects):
            self.windows["an effect became visible after the settle time"] += 1
        elif kind == "done":
            self._done(outcome, effects)
        elif any(each.kind in ("done", "in doubt") for each in others):
            pass  # the effect may belong to another call with the key
        elif kind != "cancelled" and any(each.kind == "cancelled" for each in others):
            pass  # as above; the check of the other call covers its report
        elif kind == "failed" and effects and not self._excused(outcome, effects):
            self._allowed_or(outcome, "failed-but-done", f"{key}: {outcome.error!r}, and it is there")
        elif kind == "not started" and self._was_sent(outcome):
            there = "-and-done" if effects else ""
            self.add(f"not-started-but-sent{there}", f"{key} was sent {len(self.service.seen[key])} times")
        elif kind == "cancelled" and effects and key not in self.program.reported_keys:
            self.add("cancelled-unreported", f"{key} is there, and on_in_doubt was not called")
        if kind == "not started" and outcome.step.leave == "bare" and not self._ends_early(outcome):
            self.add("bare-run-not-started", f"{key}: iterated without a block")

    def _others(self, outcome: CallOutcome) -> list[CallOutcome]:
        return [each for each in self.program.outcomes if each.key == outcome.key and each is not outcome]

    def _was_sent(self, outcome: CallOutcome) -> bool:
        """Return whether the call was certainly sent: no other call has its key."""
        return bool(self.service.seen.get(outcome.key)) and not self._others(outcome)

    def _done(self, outcome: CallOutcome, effects: list[Effect]) -> None:
        key, result = outcome.key, outcome.result
        made = result.wo if outcome.step.kind in ("wo", "many") else result
        if made is None:
            self.add("done-without-record", f"{key} is done, and its result holds nothing")
        elif not effects:
            self._allowed_or(outcome, "done-but-lost", f"{key} is done as {made.id}, and is not there")
        elif made.id not in [effect.id for effect in effects]:
            self._allowed_or(outcome, "foreign-record", f"{key} is done as {made.id}: it is {effects[0].id}")

    def _beyond_settle(self, outcome: CallOutcome, effects: list[Effect]) -> bool:
        """Return whether an outcome is wrong only because an effect became visible after the settle time."""
        if outcome.kind == "done":
            return len(effects) > 1
        ended = outcome.ended - _LATE
        if outcome.step.kind == "many":  # the outcome may be read long after the call ended
            ended = self.service.seen[outcome.key][-1][1]
        shown = [effect for effect in effects if effect.visible_from < ended]
        return outcome.kind == "failed" and (not shown or isinstance(outcome.error, NoAnswerError))

    def _excused(self, outcome: CallOutcome, effects: list[Effect]) -> bool:
        """Return whether the error allows that the call took effect."""
        return isinstance(outcome.error, NotUniqueError) and len(effects) > 1

    def _ends_early(self, outcome: CallOutcome) -> bool:
        """Return whether the run was cancelled, so that inputs may stay unsent."""
        return outcome.step.cancel is not None or outcome.step.cancel_at is not None

    def _check_time(self, outcome: CallOutcome) -> None:
        deadline = outcome.step.deadline
        if deadline is None or outcome.step.kind == "many":
            return
        took, most = outcome.ended - outcome.started, max(deadline, 0.0) + _LATE
        if took > most:
            marked = "-of-a-marked-run" if outcome.step.marker else ""
            self.add(f"deadline-missed{marked}", f"{outcome.key}: {took:.2f} s of {deadline} s")

    def _check_details(self, outcome: CallOutcome, error: WosdkError) -> None:
        """Check that an error names its call."""
        if isinstance(error, ConfigurationError | InvalidCallError) or outcome.step.kind == "connect":
            return
        missing = [name for name in ("company", "operation") if not getattr(error, name)]
        if outcome.step.kind in ("wo", "many") and not error.request_id:
            missing.append("request_id")
        if self._was_sent(outcome) and not error.attempts:
            missing.append("attempts")
        if missing:
            names = ", ".join(missing)
            self.add("error-without-details", f"{outcome.key}: {error!r} lacks {names}")

    def _allowed_or(self, outcome: CallOutcome, name: str, text: str) -> None:
        window = documented_window(self.network, outcome.key)
        if window:
            self.windows[window] += 1
        else:
            self.add(name, text)

    def _check_kept(self, wire: Wire) -> None:
        """Check that nothing is sent over a connection after a response that cannot be the service's."""
        known = wire.host in (LOCATOR_HOST, TOKEN_HOST)
        for number, (request, unit) in enumerate(odd_responses_read(wire), 1):
            another = request.kind == "command" and unit.names_request and unit.key != request.key
            if (unit.strange or another) and not known and number < len(wire.exchange.written):
                self.add("connection-kept", f"{wire} after {unit.form} for {request.key}")
                return

    # --- runs and closing -----------------------------------------------------------------------

    def _check_run(self, result: StepResult) -> None:
        """Check that every input has exactly one outcome, unless the run raised an error."""
        step, error = result.step, result.error
        counts = Counter(outcome.key for outcome in self.program.outcomes if outcome.step is step)
        twice = [key for key, count in counts.items() if count > 1]
        if twice:
            self.add("outcome-twice", f"{twice}")
        if result.source_raised:
            if error is None:
                self.add("source-error-lost", f"step {step.number}: {len(counts)} of {len(step.scripts)}")
        elif len(counts) < len(step.scripts) and error is None:
            self.add("input-without-outcome", f"step {step.number}: {len(counts)} of {len(step.scripts)}")
        cancelled = isinstance(error, asyncio.CancelledError)
        if isinstance(error, Exception) and not isinstance(error, ProgramError | WosdkError):
            self.add("raw-error", f"step {step.number}: {error!r}")
        elif cancelled and not (step.cancel or step.cancel_at or result.source_raised):
            self.add("raw-error", f"step {step.number}: cancelled by nobody")

    def _check_close(self, result: StepResult) -> None:
        step, error = result.step, result.error
        if error is not None and not isinstance(error, asyncio.CancelledError):
            self.add("close-raised", f"{error!r}")
        took = result.ended - result.started
        if error is None and took > step.grace + 2 + _LATE:
            self.add("close-too-slow", f"{took:.2f} s with a grace of {step.grace} s")
        first = min(each.started for each in self.program.step_results if each.step.kind == "close")
        shortest = min(
            each.started + each.step.grace for each in self.program.step_results if each.step.kind == "close"
        )
        if result.started == first:
            self._check_grace(first, shortest)

    def _check_grace(self, closed: float, until: float) -> None:
        """Check that calls that were running when the client was closed had the grace period to end."""
        for outcome in self.program.outcomes:
            running = outcome.step.kind != "many" and outcome.started < closed
            if running and closed < outcome.ended < until - 0.05 and _by_closing(outcome.error):
                self.add("closed-without-grace", f"{outcome.key}: {outcome.error!r}")


def _by_closing(error: BaseException | None) -> bool:
    while error is not None:
        if "client was closed" in str(error) or "client is closed" in str(error):
            return True
        error = error.__cause__
    return False
