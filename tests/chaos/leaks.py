"""What a program has open: counted before and after it used a client."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import sys
from collections.abc import Iterator

import attrs


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
        # libuv opens /dev/null with its first connection and keeps it, to have a descriptor to spare.
        descriptors = [each for each in _descriptors() if each != os.devnull]
        return cls(len(descriptors), len(asyncio.all_tasks()), sys.getallocatedblocks())

    def left(self, before: Resources) -> list[str]:
        """Return what there is now and was not there ``before``, as text."""
        found = {
            "file descriptors": self.descriptors - before.descriptors,
            "tasks": self.tasks - before.tasks,
        }
        return [f"{number} {name} are left" for name, number in found.items() if number > 0]


def _descriptors() -> Iterator[str]:
    """Yield what each open file descriptor refers to."""
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # that of the listing itself
            yield os.readlink(f"/proc/self/fd/{number}")
