"""Reads a file whose text says how its reader misbehaves; imports little, as each file starts a process."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from wosdk_async.readers.program import Line

MB = 1 << 20


def read(path: str) -> Iterator[Line]:
    yield 1, ["a"], None
    match Path(path).read_text().split():
        case ["allocate"]:
            yield 2, [str(len(bytearray(8 << 30)))], " ", {}
        case ["leak"]:
            while ctypes.CDLL(None).malloc(MB):
                pass
            os.abort()  # as native code does without memory
        case ["abort"]:
            os.abort()
        case ["spin"]:
            while True:
                pass
        case ["sleep"]:
            Path(f"{path}.pid").write_text(str(os.getpid()))
            while True:
                time.sleep(60)
        case ["swell"]:
            for line in range(2, 10_000):
                yield line, ["x" * 10_000], " ", {}
        case ["long"]:
            yield 2, ["x" * (2 * MB)], " ", {}
        case ["end"]:
            sys.stdout.buffer.flush()
            os._exit(0)
        case ["noise"]:
            os.write(2, b"\x1b[31m{" * 100_000)
            os._exit(3)
        case ["import"]:
            import missing_library  # type: ignore[import-not-found]  # noqa: F401
        case ["environment"]:
            yield 2, [" ".join(sorted(os.environ))], " ", {}
    yield (2,)


def explain(path: str, error: BaseException) -> str:
    return f"unreadable ({error})"
