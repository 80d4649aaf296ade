"""Plan commits: each plan is carried out at most once, despite repeated calls, restarts and shared journals.

If a plan is in doubt, its next commit looks up the record with the plan's marker. If the record is confirmed
missing, that commit sends the plan again. A plan without a marker is sent at most once; if no response
arrives, it stays in doubt.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import attrs

from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import InDoubtError, NotUniqueError, WosdkError
from wosdk_async.mcp.plan_journal import Plan, PlanBusyError, PlanJournal, PlansUnusableError, state_folder
from wosdk_async.mcp.plan_rules import WriteGate
from wosdk_async.mcp.preparing import change_of
from wosdk_async.mcp.results import Problem, problem
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.protocol.writes import UNDECIDED, LookUps, State
from wosdk_async.transport.clock import TransportClock


@attrs.frozen(kw_only=True)
class WriteOptions:
    """Options of the write tools."""

    state: Path | None = None
    """Plan folder; None for the default."""
    settle: float | None = None
    """Seconds for which a request in doubt may still take effect; None for the client's value."""


@attrs.frozen(kw_only=True)
class CommitOutcome:
    """Outcome of a plan."""

    state: str
    """State name, or ``expired``, ``busy`` or ``unknown``."""
    plan: Plan | None = None
    record: dict[str, Any] | None = None
    problem: Problem | None = None
    wait: float | None = None
    """Seconds until a look-up can determine the outcome."""


@attrs.frozen(kw_only=True)
class Commits:
    """Commits of one Company's plans."""

    journal: PlanJournal
    company: Company
    """Company of the writing client, whose ``before_send`` hook is ``gate``."""
    gate: WriteGate
    target: str
    clock: TransportClock
    _look_ups: dict[tuple[str, int], LookUps] = attrs.field(factory=dict, init=False)
    """Look-ups of plans in doubt, by plan id and attempt, because another server may start a new attempt."""

    @classmethod
    def open(
        cls,
        company: Company,
        gate: WriteGate,
        options: WriteOptions,
        now: Callable[[], float] = time.time,
        clock: TransportClock = TransportClock(),
    ) -> Self:
        """Open the plan folder; ``now`` is the clock for plan expiry.

        Raises ConfigurationError for an unusable folder.
        """
        if options.settle is not None:
            company = company.with_options(settle=options.settle)
        journal = PlanJournal(options.state or state_folder(), now)
        # The digest tells apart Companies of the same name in different regions or sandboxes.
        addresses = f"{company.region.locator_url}\n{company.region.token_url}"
        target = f"{company.name} ({hashlib.blake2b(addresses.encode(), digest_size=6).hexdigest()})"
        return cls(journal=journal, company=company, gate=gate, target=target, clock=clock)

    async def outcome(self, id: str, *, send: bool) -> CommitOutcome:
        """Find out the outcome of a plan.

        With ``send``, carry the plan out, unless it may already have been carried out.
        """
        plan = self._plan(id)
        if plan is None:
            return CommitOutcome(state="unknown")
        if (outcome := _final_outcome(plan)) is not None:
            return outcome
        try:
            with self.journal.lock(id):
                return await self._outcome(self._plan(id) or plan, send=send)
        except PlanBusyError:
            return CommitOutcome(state="busy", plan=plan)
        except PlansUnusableError as error:  # raised before this call sent anything, so the plan is as before
            state = State.IN_DOUBT if plan.state in UNDECIDED else State.PLANNED
            return CommitOutcome(state=state.word, plan=plan, problem=self._problem(error))

    def _plan(self, id: str) -> Plan | None:
        found = self.journal.get(id)
        return found if found is not None and found.target == self.target else None

    async def _outcome(self, plan: Plan, *, send: bool) -> CommitOutcome:
        if (outcome := _final_outcome(plan)) is not None:
            return outcome
        if plan.state is State.PLANNED and self.journal.now() >= plan.expires:
            self.journal.expire(plan.id)
            return CommitOutcome(state="expired", plan=plan)
        if plan.state is State.PLANNED:
            return await self._send(plan) if send else CommitOutcome(state=State.PLANNED.word, plan=plan)
        if plan.state is State.SENDING:  # the lock was free, so the sending server has ended
            plan = self._record_doubt(plan)
        return await self._resolve(plan, send=send)

    async def _send(self, plan: Plan) -> CommitOutcome:
        change = change_of(plan)
        self.journal.begin(plan.id)  # on disk before the first byte is sent
        plan = attrs.evolve(plan, attempt=plan.attempt + 1)
        try:
            with self.gate.open(True):
                record = await change.send(self.company)
        except (InDoubtError, NotUniqueError) as error:
            return self._in_doubt(self._record_doubt(plan), error)
        except WosdkError as error:
            found = self._problem(error)
            if ending_of(error).passes:  # nothing was done
                with suppress(PlansUnusableError):  # else the journal says ``sending``, which is safe
                    self.journal.plan_again(plan.id)
                return CommitOutcome(state=State.PLANNED.word, plan=plan, problem=found)
            with suppress(PlansUnusableError):
                self.journal.end(plan.id, State.REFUSED, found.model_dump(mode="json"))
            return CommitOutcome(state=State.REFUSED.word, plan=plan, problem=found)
        except Exception:  # a bug: the request may have been carried out
            return self._in_doubt(self._record_doubt(plan), None)
        with suppress(PlansUnusableError):  # the change was made, even if that cannot be recorded
            self.journal.end(plan.id, State.DONE, record)
        return CommitOutcome(state=State.DONE.word, plan=plan, record=record)

    def _record_doubt(self, plan: Plan) -> Plan:
        """Record that a plan is in doubt. Its request may still take effect within the settle time."""
        self._look_ups[plan.id, plan.attempt] = LookUps(self.clock.now(), self.company.options.settle)
        with suppress(PlansUnusableError):  # ``sending`` in the journal also means in doubt
            self.journal.end(plan.id, State.IN_DOUBT)
        return attrs.evolve(plan, state=State.IN_DOUBT)

    async def _resolve(self, plan: Plan, *, send: bool) -> CommitOutcome:
        """Look up the record of a plan in doubt by its marker; a plan without a marker stays in doubt."""
        if plan.marker is None:
            return self._in_doubt(plan, None)
        now, attempt = self.clock.now, (plan.id, plan.attempt)
        look_ups = self._look_ups.setdefault(attempt, LookUps(now(), self.company.options.settle))
        found = None
        try:
            while look_ups.state is State.IN_DOUBT:
                if look_ups.empty:
                    await self.clock.sleep(look_ups.counts_from - now())
                began = now()
                found = await change_of(plan).find(self.company)
                look_ups = look_ups.after(began, now(), found=found is not None)
                if not look_ups.empty:
                    break
        except WosdkError as error:
            return self._in_doubt(plan, error)
        if found is not None:
            with suppress(PlansUnusableError):
                self.journal.end(plan.id, State.DONE, found)
            return CommitOutcome(state=State.DONE.word, plan=plan, record=found)
        if look_ups.state is State.IN_DOUBT:
            return self._in_doubt(plan, None)
        self.journal.plan_again(plan.id)
        return await self._send(plan) if send else CommitOutcome(state=State.PLANNED.word, plan=plan)

    def _in_doubt(self, plan: Plan, error: WosdkError | None) -> CommitOutcome:
        wait = None
        look_ups = self._look_ups.get((plan.id, plan.attempt))
        if plan.marker is not None and look_ups is not None:
            wait = max(look_ups.counts_from - self.clock.now(), 1.0)
        found = self._problem(error) if error else None
        return CommitOutcome(state=State.IN_DOUBT.word, plan=plan, problem=found, wait=wait)

    def _problem(self, error: WosdkError) -> Problem:
        return problem(error, secrets_of(self.company))


def _final_outcome(plan: Plan) -> CommitOutcome | None:
    """Return a plan's final outcome; None if it may still change."""
    if plan.state is State.DONE:
        return CommitOutcome(state=plan.state.word, plan=plan, record=plan.outcome)
    if plan.state is State.REFUSED:
        problem = Problem.model_validate(plan.outcome)
        return CommitOutcome(state=plan.state.word, plan=plan, problem=problem)
    return None
