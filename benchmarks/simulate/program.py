"""What the program does with the client, and what it is told of each call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import attrs

from benchmarks.simulate.backend import KEY, company_name
from benchmarks.simulate.plan import Fate, Plan, Step
from wosdk_async import (
    Client,
    Company,
    Contact,
    Credentials,
    Done,
    Failed,
    InDoubt,
    InDoubtError,
    NotStarted,
    Ref,
    RetryPolicy,
    Trace,
    WoCreateCommand,
    WoItem,
    WorkOrder,
    WOType,
)

__all__ = ["CallResult", "Program", "Verdict", "contact", "keys"]

MARKER = "work_order.po_number"


@attrs.define(eq=False, kw_only=True)
class Verdict:
    """What the program was told of one call, and when."""

    key: str
    step: Step
    how: str
    """done, failed, in doubt, cancelled, not started"""
    begun: float
    ended: float
    error: BaseException | None = None
    result: Any = None
    index: int = 0


@attrs.define(eq=False, kw_only=True)
class CallResult:
    """How a step ended that is no single call."""

    step: Step
    begun: float
    ended: float
    error: BaseException | None = None
    source_raised: bool = False


def keys(plan: Plan) -> dict[str, Fate]:
    """The fate of every call of a plan, by its key."""
    return {_key(step, index): fate for step in plan.steps for index, fate in enumerate(step.fates)}


def _key(step: Step, index: int) -> str:
    if step.kind == "get":  # it carries no key: it is known by what it asks for
        return f"/api/v1/base/Contact/{contact(step, index)}"
    return f"K{step.number}-{index}"


def contact(step: Step, index: int) -> int:
    """The Id of the contact that a call updates or reads."""
    return 5000 + 10 * step.number + index


class Boom(Exception):
    """Raised by a source, or by the body of a block."""


def command(key: str) -> WoCreateCommand:
    order = WorkOrder(
        po_number=key,
        items=[WoItem(asset=Ref(20440), task=Ref(14211))],
        customer=Ref(512),
        sub_type=Ref(259),
        type_category=WOType.Request,
    )
    return WoCreateCommand(work_order=order)


class Program:
    """Runs the steps of a plan, all at once, each at its time."""

    def __init__(self, plan: Plan, client: Client, credentials: list[Credentials]) -> None:
        self.verdicts: list[Verdict] = []
        self.ended: list[CallResult] = []
        self.told: set[str] = set()
        """Keys that ``on_in_doubt`` was told of."""
        self.client = client
        self._plan = plan
        self._companies = [
            client.company(company_name(n), credentials=pair) for n, pair in enumerate(credentials)
        ]
        self._cancelled_at: dict[int, list[tuple[int, asyncio.Task[None]]]] = {}
        self._events = 0
        self._traces: dict[int, Trace] = {}
        self._loop = asyncio.get_running_loop()

    def tell(self, call: Any, _: str | None) -> None:
        """The client's ``on_in_doubt``."""
        found = KEY.search((call.body or b"").decode())
        if found:
            self.told.add(found[0])

    def event(self) -> None:
        """The network has something to tell: some tasks are cancelled some turns of the loop later."""
        self._events += 1
        for turns, task in self._cancelled_at.pop(self._events, ()):
            self._loop.call_soon(self._cancel, turns, task)

    def _cancel(self, turns: int, task: asyncio.Task[None]) -> None:
        if turns:
            self._loop.call_soon(self._cancel, turns - 1, task)
        else:
            task.cancel()

    async def run(self, steps: list[Step]) -> None:
        """All of them, to their end."""
        tasks = [self._loop.create_task(self._step(step), name=f"step {step.number}") for step in steps]
        for step, task in zip(steps, tasks, strict=True):
            if step.cancel is not None:
                self._loop.call_later(step.at + step.cancel, task.cancel)
            if step.cancel_at is not None:
                self._cancelled_at.setdefault(step.cancel_at, []).append((step.turns, task))
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _step(self, step: Step) -> None:
        begun = self._loop.time()
        try:
            await asyncio.sleep(step.at)
        except asyncio.CancelledError:
            return  # the delay of a timer
        begun = self._loop.time()
        if step.kind == "many":
            await self._many(step, begun)
        elif step.kind == "close":
            await self._close(step, begun)
        else:
            for index in range(len(step.fates)):
                await self._one(step, index)

    def _company(self, step: Step) -> Company:
        company = self._companies[step.company].with_options(
            deadline=step.deadline, settle=step.settle, retry=RetryPolicy(attempts=step.attempts)
        )
        if step.trace is not None:
            company = company.traced(self._traces.setdefault(step.trace, Trace()))
        return company

    # --- one call -------------------------------------------------------------------------------

    async def _one(self, step: Step, index: int) -> None:
        now = self._loop.time()
        verdict = Verdict(key=_key(step, index), step=step, index=index, how="done", begun=now, ended=0.0)
        self.verdicts.append(verdict)
        try:
            verdict.result = await self._call(step, index, verdict.key)
        except InDoubtError as error:
            verdict.how, verdict.error = "in doubt", error
        except asyncio.CancelledError as error:
            verdict.how, verdict.error = "cancelled", error
        except Exception as error:
            verdict.how, verdict.error = "failed", error
        verdict.ended = self._loop.time()
        if verdict.how == "cancelled":
            raise asyncio.CancelledError

    async def _call(self, step: Step, index: int, key: str) -> Any:
        company, id = self._company(step), contact(step, index)
        match step.kind:
            case "wo":
                return await company.run(command(key), marker=MARKER if step.marker else None)
            case "base":
                return await company.create(Contact(last_name=key, first_name="x"), check=False)
            case "update":
                return await company.update(Contact(id=id), last_name=key)
            case "get":
                return await company.get(Contact, id)
            case "query":
                return await company.query(WorkOrder, _asking(key))
            case "connect":
                return await company.connect()
        raise ValueError(step.kind)

    async def _close(self, step: Step, begun: float) -> None:
        ended = CallResult(step=step, begun=begun, ended=0.0)
        self.ended.append(ended)
        try:
            await self.client.aclose(step.grace)
        except BaseException as error:
            ended.error = error
        ended.ended = self._loop.time()

    # --- many calls -----------------------------------------------------------------------------

    async def _many(self, step: Step, begun: float) -> None:
        ended = CallResult(step=step, begun=begun, ended=0.0)
        self.ended.append(ended)
        run = None
        try:
            run = self._company(step).run_many(
                self._source(step, ended),
                marker=MARKER if step.marker else None,
                limit=step.limit,
                grace=step.grace,
            )
            await self._read(step, run, begun)
        except BaseException as error:
            ended.error = error
        if run is not None:
            await self._read_rest(step, run, begun, ended)
        ended.ended = self._loop.time()

    async def _read_rest(self, step: Step, run: Any, begun: float, ended: CallResult) -> None:
        """What was not read stays readable after the block."""
        for _ in range(2):  # the source's error may come in between
            try:
                async for outcome in run:
                    self._keep(step, outcome, begun)
            except BaseException as error:
                ended.error = ended.error or error

    async def _read(self, step: Step, run: Any, begun: float) -> None:
        if step.leave == "bare":
            async for outcome in run:
                self._keep(step, outcome, begun)
            return
        async with run:
            if step.leave == "unread":
                return
            count = 0
            if step.leave == "raise" and not step.leave_at:
                raise Boom("the body of the block")
            async for outcome in run:
                self._keep(step, outcome, begun)
                count += 1
                if count == step.leave_at:
                    if step.leave == "break":
                        break
                    if step.leave == "stop":
                        run.stop()
                    if step.leave == "raise":
                        raise Boom("the body of the block")

    def _keep(self, step: Step, outcome: Any, begun: float) -> None:
        names = {Done: "done", Failed: "failed", InDoubt: "in doubt", NotStarted: "not started"}
        self.verdicts.append(
            Verdict(
                key=outcome.input.work_order.po_number,
                step=step,
                how=names[type(outcome)],
                begun=begun,
                ended=self._loop.time(),
                error=getattr(outcome, "error", None),
                result=getattr(outcome, "result", None),
            )
        )

    def _source(self, step: Step, ended: CallResult) -> Any:
        inputs = [command(_key(step, index)) for index in range(len(step.fates))]
        if step.source == "async":
            return self._asynchronous(step, inputs, ended)
        if step.source == "generator" or step.raising is not None:
            return self._synchronous(step, inputs, ended)
        return inputs

    def _synchronous(self, step: Step, inputs: list[Any], ended: CallResult) -> Iterator[Any]:
        for index, each in enumerate([*inputs, None]):
            if index == step.raising:
                ended.source_raised = True
                raise _error(step)
            if each is not None:
                yield each

    async def _asynchronous(self, step: Step, inputs: list[Any], ended: CallResult) -> AsyncIterator[Any]:
        for index, each in enumerate([*inputs, None]):
            await asyncio.sleep(step.seconds)
            if index == step.raising:
                ended.source_raised = True
                if step.error == "awaited":
                    await self._cancelled_by_another()
                raise _error(step)
            if each is not None:
                yield each

    async def _cancelled_by_another(self) -> None:
        """Wait for a task that somebody else cancels."""
        task = self._loop.create_task(asyncio.sleep(1000))
        self._loop.call_later(0.01, task.cancel)
        await task


def _asking(key: str) -> dict[str, Any]:
    condition = {"PropertyName": "PoNumber", "Operator": "Equal", "Values": [key]}
    return {"PropertySet": {"Properties": ["*"]}, "Criteria": {"Conditions": [condition]}}


def _error(step: Step) -> BaseException:
    if step.error == "CancelledError" or step.error == "awaited":
        return asyncio.CancelledError()
    return GeneratorExit() if step.error == "GeneratorExit" else Boom("the source")
