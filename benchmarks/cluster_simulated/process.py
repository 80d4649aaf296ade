"""The process of a coordinator, which is killed at one of its points."""

from __future__ import annotations

import attrs

from benchmarks.cluster_simulated.machines import Machine
from benchmarks.jobs_process import Process

__all__ = ["Coordinating"]


@attrs.define(eq=False)
class Coordinating(Process):
    """One run of the program on a machine of its own."""

    machine: Machine = attrs.field(kw_only=True)
    counts: bool = attrs.field(default=True, kw_only=True)
    """Whether its points count already."""

    def pass_point(self, name: str) -> None:
        """Note a point; from the kill on nothing happens on its machine any more."""
        if self.counts:
            super().pass_point(name)
        if self.dead.is_set():
            self.machine.kill()
