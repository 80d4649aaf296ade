"""Program that uses the client: runs the steps of a plan and records the outcome of each call."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.simulation.client.backend import company_name
from tests.simulation.client.bulk_step import BulkStep
from tests.simulation.client.messages import KEY
from tests.simulation.client.outcomes import MARKER, CallOutcome, StepResult, contact_id, key_of
from tests.simulation.client.plan import Plan, Step
from tests.support.payload import create_command
from wosdk_async import (
    Client,
    Company,
    Contact,
    Credentials,
    InDoubtError,
    RetryPolicy,
    Trace,
    WorkOrder,
)


class Program:
    """Steps of a plan, which run concurrently, each from its own start time."""

    def __init__(self, plan: Plan, client: Client, credentials: list[Credentials]) -> None:
        self.outcomes: list[CallOutcome] = []
        self.step_results: list[StepResult] = []
        self.reported_keys: set[str] = set()
        """Keys of the calls that ``on_in_doubt`` reported."""
        self.client = client
        self._plan = plan
        self._companies = [
            client.company(company_name(n), credentials=pair) for n, pair in enumerate(credentials)
        ]
        self._cancelled_at: dict[int, list[tuple[int, asyncio.Task[None]]]] = {}
        self._events = 0
        self._traces: dict[int, Trace] = {}
        self._loop = asyncio.get_running_loop()

    def on_in_doubt(self, call: Any, _: str) -> None:
        found = KEY.search((call.body or b"").decode())
        if found:
            self.reported_keys.add(found[0])

    def on_network_event(self) -> None:
        """Count a network event, and cancel the steps that are due after it."""
        self._events += 1
        for turns, task in self._cancelled_at.pop(self._events, ()):
            self._loop.call_soon(self._cancel, turns, task)

    def _cancel(self, turns: int, task: asyncio.Task[None]) -> None:
        if turns:
            self._loop.call_soon(self._cancel, turns - 1, task)
        else:
            task.cancel()

    async def run(self, steps: list[Step]) -> None:
        tasks = [self._loop.create_task(self._step(step), name=f"step {step.number}") for step in steps]
        for step, task in zip(steps, tasks, strict=True):
            if step.cancel is not None:
                self._loop.call_later(step.at + step.cancel, task.cancel)
            if step.cancel_at is not None:
                self._cancelled_at.setdefault(step.cancel_at, []).append((step.cancel_turns, task))
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _step(self, step: Step) -> None:
        try:
            await asyncio.sleep(step.at)
        except asyncio.CancelledError:
            return  # cancelled before its first call
        if step.kind == "many":
            bulk = BulkStep(step, self._company(step), self.outcomes)
            self.step_results.append(bulk.result)
            await bulk.run()
        elif step.kind == "close":
            await self._close(step)
        else:
            for index in range(len(step.scripts)):
                await self._one(step, index)

    def _company(self, step: Step) -> Company:
        company = self._companies[step.company].with_options(
            deadline=step.deadline, settle=step.settle, retry=RetryPolicy(attempts=step.attempts)
        )
        if step.trace is not None:
            company = company.traced(self._traces.setdefault(step.trace, Trace()))
        return company

    async def _one(self, step: Step, index: int) -> None:
        now = self._loop.time()
        key = key_of(step, index)
        outcome = CallOutcome(key=key, step=step, index=index, kind="done", started=now, ended=0.0)
        self.outcomes.append(outcome)
        try:
            outcome.result = await self._call(step, index, key)
        except InDoubtError as error:
            outcome.kind, outcome.error = "in doubt", error
        except asyncio.CancelledError as error:
            outcome.kind, outcome.error = "cancelled", error
        except Exception as error:
            outcome.kind, outcome.error = "failed", error
        outcome.ended = self._loop.time()
        if outcome.kind == "cancelled":
            raise asyncio.CancelledError

    async def _call(self, step: Step, index: int, key: str) -> Any:
        company, id = self._company(step), contact_id(step, index)
        match step.kind:
            case "wo":
                marker = MARKER if step.marker else None
                return await company.run(create_command(key), marker=marker, look_first=step.look_first)
            case "base":
                return await company.create(Contact(last_name=key, first_name="x"), check=False)
            case "update":
                return await company.update(Contact(id=id), last_name=key)
            case "get":
                return await company.get(Contact, id)
            case "query":
                return await company.query(WorkOrder, _by_po_number(key))
            case "connect":
                return await company.connect()
        raise ValueError(step.kind)

    async def _close(self, step: Step) -> None:
        result = StepResult(step=step, started=self._loop.time(), ended=0.0)
        self.step_results.append(result)
        try:
            await self.client.aclose(step.grace)
        except BaseException as error:
            result.error = error
        result.ended = self._loop.time()


def _by_po_number(key: str) -> dict[str, Any]:
    condition = {"PropertyName": "PoNumber", "Operator": "Equal", "Values": [key]}
    return {"PropertySet": {"Properties": ["*"]}, "Criteria": {"Conditions": [condition]}}
