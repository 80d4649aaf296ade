"""What a program has open: counted before and after it used a client."""

from __future__ import annotations

import asyncio
import gc
import os
import sys

import attrs

__all__ = ["Resources"]


@attrs.frozen
class Resources:
    """File descriptors and tasks of this process, and blocks of memory that Python uses."""

    descriptors: int
    tasks: int
    blocks: int

    @classmethod
    def now(cls) -> Resources:
        """Count them."""
        gc.collect()
        return cls(len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks()), sys.getallocatedblocks())

    def left(self, before: Resources) -> list[str]:
        """Return what there is now and was not there ``before``, as text."""
        found = {
            "file descriptors": self.descriptors - before.descriptors,
            "tasks": self.tasks - before.tasks,
        }
        return [f"{number} {name} are left" for name, number in found.items() if number > 0]
