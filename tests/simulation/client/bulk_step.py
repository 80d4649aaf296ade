"""Step of the program that is one ``run_many``: its source, how it is read, and how its block ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from tests.simulation.client.outcomes import MARKER, CallOutcome, ProgramError, StepResult, key_of
from tests.simulation.client.plan import Step
from tests.support.payload import create_command
from wosdk_async import Company, Done, Failed, InDoubt, NotStarted

_KINDS = {Done: "done", Failed: "failed", InDoubt: "in doubt", NotStarted: "not started"}


class BulkStep:
    """One ``run_many``; every outcome that is read is added to ``outcomes``."""

    def __init__(self, step: Step, company: Company, outcomes: list[CallOutcome]) -> None:
        self._loop = asyncio.get_running_loop()
        self.result = StepResult(step=step, started=self._loop.time(), ended=0.0)
        self._step = step
        self._company = company
        self._outcomes = outcomes

    async def run(self) -> None:
        step, run = self._step, None
        try:
            run = self._company.run_many(
                self._source(),
                marker=MARKER if step.marker else None,
                look_first=step.look_first,
                limit=step.limit,
                grace=step.grace,
            )
            await self._read(run)
        except BaseException as error:
            self.result.error = error
        if run is not None:
            await self._read_rest(run)
        self.result.ended = self._loop.time()

    async def _read_rest(self, run: Any) -> None:
        for _ in range(2):  # twice, because the source may raise its error in between
            try:
                async for outcome in run:
                    self._note(outcome)
            except BaseException as error:
                self.result.error = self.result.error or error

    async def _read(self, run: Any) -> None:
        step = self._step
        if step.leave == "bare":
            async for outcome in run:
                self._note(outcome)
            return
        async with run:
            if step.leave == "unread":
                return
            count = 0
            if step.leave == "raise" and not step.leave_at:
                raise ProgramError("the body of the block")
            async for outcome in run:
                self._note(outcome)
                count += 1
                if count == step.leave_at:
                    if step.leave == "break":
                        break
                    if step.leave == "stop":
                        run.stop()
                    if step.leave == "raise":
                        raise ProgramError("the body of the block")

    def _note(self, outcome: Any) -> None:
        self._outcomes.append(
            CallOutcome(
                key=outcome.input.work_order.po_number,
                step=self._step,
                kind=_KINDS[type(outcome)],
                started=self.result.started,
                ended=self._loop.time(),
                error=getattr(outcome, "error", None),
                result=getattr(outcome, "result", None),
            )
        )

    # --- sources --------------------------------------------------------------------------------

    def _source(self) -> Any:
        step = self._step
        inputs = [create_command(key_of(step, index)) for index in range(len(step.scripts))]
        if step.source == "async":
            return self._async_source(inputs)
        if step.source == "generator" or step.raise_before is not None:
            return self._sync_source(inputs)
        return inputs

    def _sync_source(self, inputs: list[Any]) -> Iterator[Any]:
        for index, each in enumerate([*inputs, None]):
            if index == self._step.raise_before:
                self.result.source_raised = True
                raise _source_error(self._step)
            if each is not None:
                yield each

    async def _async_source(self, inputs: list[Any]) -> AsyncIterator[Any]:
        for index, each in enumerate([*inputs, None]):
            await asyncio.sleep(self._step.seconds)
            if index == self._step.raise_before:
                self.result.source_raised = True
                if self._step.error == "awaited":
                    await self._await_cancelled_task()
                raise _source_error(self._step)
            if each is not None:
                yield each

    async def _await_cancelled_task(self) -> None:
        task = self._loop.create_task(asyncio.sleep(1000))
        self._loop.call_later(0.01, task.cancel)
        await task


def _source_error(step: Step) -> BaseException:
    if step.error in ("CancelledError", "awaited"):
        return asyncio.CancelledError()
    return GeneratorExit() if step.error == "GeneratorExit" else ProgramError("the source")
