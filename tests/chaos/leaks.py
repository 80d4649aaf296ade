"""Open file descriptors and tasks of a program, counted before and after it uses a client."""

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
        gc.collect()
        # libuv opens /dev/null with its first connection and keeps it, to have a descriptor to spare.
        descriptors = [each for each in _descriptors() if each != os.devnull]
        return cls(len(descriptors), len(asyncio.all_tasks()), sys.getallocatedblocks())

    def left(self, before: Resources) -> list[str]:
        found = {
            "file descriptors": self.descriptors - before.descriptors,
            "tasks": self.tasks - before.tasks,
        }
        return [f"{number} {name} are left" for name, number in found.items() if number > 0]


def _descriptors() -> Iterator[str]:
    """Yield the target of each open file descriptor."""
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the descriptor of this listing
            yield os.readlink(f"/proc/self/fd/{number}")
