"""Readers in the process of the test, and one that misbehaves in a process of its own."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from tests.jobs.hostile_reader import MB
from wosdk_async.jobs.sources.converted import ConvertedFile, Reader, open_converted
from wosdk_async.jobs.sources.formats import Format
from wosdk_async.readers.program import Limits, write_lines

LIMITS = Limits(memory=512 * MB, cpu=60, seconds=60, size=16 * MB)

HOSTILE = Reader("tests.jobs.hostile_reader", "json", "files", "test files")
"""Reads a file whose text says what its reader does."""


def read_here(module: Any, path: Path, **options: Any) -> ConvertedFile:
    """Read a file as ``open_source`` does, but without another process."""
    lines = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the source
    write_lines(module.read(str(path), **options), lines)
    return ConvertedFile(path, lines)


def hostile_format(**limits: int) -> Format:
    return Format(partial(open_converted, HOSTILE, limits=LIMITS._replace(**limits)))
