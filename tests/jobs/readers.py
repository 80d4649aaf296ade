"""Readers in the process of the test, and one that misbehaves: see :data:`HOSTILE`."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from wosdk_async.jobs.sources.converted import ConvertedFile, Reader, open_converted
from wosdk_async.jobs.sources.formats import Format
from wosdk_async.readers.program import Limits, Line, write_lines

MB = 1 << 20
LIMITS = Limits(memory=512 * MB, cpu=60, seconds=60, size=16 * MB)

HOSTILE = Reader("tests.jobs.readers", "json", "files", "test files")
"""Reads a file whose text says what its reader does."""


def read_here(module: Any, path: Path, **options: Any) -> ConvertedFile:
    """Read a file as ``open_source`` does, but without another process."""
    lines = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the source
    write_lines(module.read(str(path), **options), lines)
    return ConvertedFile(path, lines)


def hostile_format(**limits: int) -> Format:
    return Format(partial(open_converted, HOSTILE, limits=LIMITS._replace(**limits)))


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
