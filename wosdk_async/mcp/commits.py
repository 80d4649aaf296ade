"""Plans are committed once: over repeated calls, restarts, and several servers with one journal.

A plan with a marker is found again by it, so a commit that was cut off is finished by the next one. A plan
without a marker is sent at most once; when no response says what became of it, it stays in doubt for good.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import attrs

from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import (
    DeadlineError,
    InDoubtError,
    NoAnswerError,
    NotSentError,
    NotUniqueError,
    SessionError,
    ThrottledError,
    WosdkError,
)
from wosdk_async.markers import Marker
from wosdk_async.mcp.plan_journal import Plan, PlanBusyError, PlanJournal, PlansUnusableError, State
from wosdk_async.mcp.preparing import change_of, outcome_of
from wosdk_async.mcp.results import Problem, problem
from wosdk_async.mcp.write_gate import WriteGate
from wosdk_async.model import Command

__all__ = ["Commits", "Ending"]

_NOTHING_DONE = (NotSentError, DeadlineError, NoAnswerError, ThrottledError, SessionError)
_BETWEEN_LOOKUPS = 0.25  # seconds: one lookup alone may have read the response of another


@attrs.frozen(kw_only=True)
class Ending:
    """What became of a plan."""

    state: str
    """A state of the journal, or ``expired``, ``busy`` or ``unknown``."""
    plan: Plan | None = None
    record: dict[str, Any] | None = None
    problem: Problem | None = None
    repeated: bool = False
    """Whether an earlier commit, or a look-up, had the result."""
    wait: float | None = None
    """Seconds after which the outcome can be known."""


@attrs.frozen(kw_only=True)
class Commits:
    """The plans of one Company."""

    journal: PlanJournal
    company: Company
    """Company of the client that writes, behind ``gate``."""
    gate: WriteGate
    target: str

    async def commit(self, id: str) -> Ending:
        """Carry out a plan unless that was done; finish what an earlier commit left."""
        return await self._with_lock(id, send=True)

    async def settle(self, id: str) -> Ending:
        """Find out what became of a plan; send nothing."""
        return await self._with_lock(id, send=False)

    async def _with_lock(self, id: str, *, send: bool) -> Ending:
        plan = self._mine(id)
        if plan is None:
            return Ending(state="unknown")
        try:
            with self.journal.lock(id):
                current = self._mine(id) or plan
                return await self._ending(current, send=send)
        except PlanBusyError:
            return Ending(state="busy", plan=plan)
        except PlansUnusableError as error:  # raised before this call sent anything
            begun = plan.state in (State.SENDING, State.IN_DOUBT)
            return Ending(state="in_doubt" if begun else "not_sent", plan=plan, problem=self._problem(error))

    def _mine(self, id: str) -> Plan | None:
        found = self.journal.get(id)
        return found if found is not None and found.target == self.target else None

    async def _ending(self, plan: Plan, *, send: bool) -> Ending:
        match plan.state:
            case State.DONE:
                return Ending(state="done", plan=plan, record=plan.outcome, repeated=True)
            case State.REFUSED:
                return Ending(state="refused", plan=plan, problem=_kept_problem(plan), repeated=True)
            case State.EXPIRED:
                return Ending(state="expired", plan=plan)
            case State.PLANNED:
                if self.journal.now() >= plan.expires:
                    self.journal.expired(plan.id)  # on the disk: the clock may be set back
                    return Ending(state="expired", plan=plan)
                return await self._send(plan) if send else Ending(state="planned", plan=plan)
            case State.SENDING:  # its lock was free: the server that sent it has ended
                plan = self._doubt(plan)
        return await self._resolve(plan, send=send)

    # --- sending ----------------------------------------------------------------------------

    async def _send(self, plan: Plan) -> Ending:
        change = change_of(plan)
        self.journal.begin(plan.id)  # on the disk before the first byte leaves
        try:
            with self.gate.commit():
                record = await change.send(self.company)
        except (InDoubtError, NotUniqueError) as error:
            return self._in_doubt(self._doubt(plan), error)
        except _NOTHING_DONE as error:
            with suppress(PlansUnusableError):  # then the journal has a doubt, which is safe
                self.journal.plan_again(plan.id)
            return Ending(state="not_sent", plan=plan, problem=self._problem(error))
        except WosdkError as error:
            found = self._problem(error)
            with suppress(PlansUnusableError):
                self.journal.refused(plan.id, found.model_dump(mode="json"))
            return Ending(state="refused", plan=plan, problem=found)
        except Exception:  # a mistake of ours says nothing of the request
            return self._in_doubt(self._doubt(plan), None)
        with suppress(PlansUnusableError):  # it was carried out, whether or not that can be written down
            self.journal.done(plan.id, record)
        return Ending(state="done", plan=plan, record=record)

    # --- doubts -----------------------------------------------------------------------------

    def _doubt(self, plan: Plan) -> Plan:
        """Note a doubt. What was sent until now may still take effect, as long as the options say."""
        settles = self.journal.now() + self.company.options.settle
        with suppress(PlansUnusableError):  # the journal has it as begun, which is a doubt, too
            self.journal.doubt(plan.id, settles)
        return attrs.evolve(plan, state=State.IN_DOUBT, settles=settles)

    async def _resolve(self, plan: Plan, *, send: bool) -> Ending:
        """Look a plan in doubt up by its marker; without one it stays in doubt."""
        if plan.marker is None:
            return self._in_doubt(plan, None)
        can_be_believed = self.journal.now() >= (plan.settles or 0)
        try:
            found = await self._find(plan)
            if found is None and can_be_believed:
                await asyncio.sleep(_BETWEEN_LOOKUPS)
                found = await self._find(plan)
        except WosdkError as error:
            return self._in_doubt(plan, error)
        if found is not None:
            with suppress(PlansUnusableError):
                self.journal.done(plan.id, found)
            return Ending(state="done", plan=plan, record=found, repeated=True)
        if not can_be_believed:
            return self._in_doubt(plan, None)
        self.journal.plan_again(plan.id)
        return await self._send(plan) if send else Ending(state="planned", plan=plan)

    async def _find(self, plan: Plan) -> dict[str, Any] | None:
        """Return the result from the record that has the plan's id; None if there is none.

        Raises NotUniqueError when several records have it.
        """
        change = change_of(plan)
        subject: Any = change.subject
        make = Marker.of_command if isinstance(subject, Command) else Marker.of_record
        marker = make(subject, plan.marker or "")
        records = await self.company.find_marked(type(subject), plan.marker or "", [marker.key])
        result = marker.result_of(records[marker.key])
        return None if result is None else outcome_of(result, self.company)

    def _in_doubt(self, plan: Plan, error: WosdkError | None) -> Ending:
        wait = None
        if plan.marker is not None and plan.settles is not None:
            wait = max(plan.settles - self.journal.now(), 1.0)
        return Ending(state="in_doubt", plan=plan, problem=self._problem(error) if error else None, wait=wait)

    def _problem(self, error: WosdkError) -> Problem:
        return problem(error, secrets_of(self.company))


def _kept_problem(plan: Plan) -> Problem:
    return Problem.model_validate(plan.outcome)
