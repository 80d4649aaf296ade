"""Steps of the way to the Company, written for people as they end, or as JSON."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import IO, TYPE_CHECKING

from wosdk_async.cli.exit_codes import Exit
from wosdk_async.cli.output.cells import json_text, visible

if TYPE_CHECKING:
    from wosdk_async.cli.diagnostics import Step

__all__ = ["StepReport"]


class StepReport:
    """The steps so far; they are written to ``file``, if there is one, as they end."""

    def __init__(self, file: IO[str] | None) -> None:
        self._file = file
        self._steps: list[Step] = []

    @property
    def status(self) -> Exit:
        """The exit status of the last step."""
        return self._steps[-1].status

    @property
    def last(self) -> Step:
        """The last step, which is the one that failed if one did."""
        return self._steps[-1]

    def add(self, step: Step) -> None:
        """Add a step."""
        self._steps.append(step)
        if self._file is None:
            return
        tick = "✓" if step.ok else "✗"
        self._file.write(f"{tick} {step.step:<12}{step.seconds:6.3f} s  {visible(step.detail)}\n")
        if step.remedy:
            self._file.write(f"{'':24}{visible(step.remedy)}\n")
        self._file.flush()

    async def add_all(self, steps: AsyncIterator[Step]) -> None:
        """Add each step when it ends."""
        async for step in steps:
            self.add(step)

    def write_json(self, file: IO[str]) -> None:
        """Write all steps as one JSON object."""
        data = {"ok": self.status is Exit.DONE, "steps": [step.as_dict() for step in self._steps]}
        file.write(f"{json_text(data)}\n")
