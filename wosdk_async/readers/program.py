"""Process that converts one file to JSON lines, within limits.

A reader is a module with two functions: ``read(path, **options)`` yields each :data:`Line`, and
``explain(path, error)`` returns the message about an error. The parent passes an :class:`Order` as the only
argument, and reads the lines as JSON from stdout.
"""

from __future__ import annotations

import errno
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable
from typing import IO, Any, NamedTuple

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

MAX_CELL = 1 << 20  # maximum characters of a cell, in files of any format
MAX_LINE = 16 << 20  # maximum bytes of a converted row, and characters of a line of text
MAX_MESSAGE = 8192  # maximum bytes of a message

Line = (
    tuple[int, list[str], None]
    | tuple[int, list[str], str | None, dict[int, str], dict[str, Any]]
    | tuple[int, list[str], str, dict[int, str]]
    | tuple[int]
)
"""Header, row or end of a table. A header is a line number, cells and None; a sheet's header is a line
number, cells, the sheet's name, an empty dict and the sheet's facts. A row with content is a line number,
cells, kinds and faults. The end is the number of the line at which the table ends. Kinds have one letter per
cell: ``n`` for a number, ``t`` for a time, ``b`` for a boolean, a space for text. Faults are the reasons why
cells cannot be used, by index.
"""

CURRENCIES = 0x100
"""Character code of the kind for amounts in the sheet's first currency; the codes of other currencies follow.
"""

Explain = Callable[[str, BaseException], "str | Unreadable"]

STARTED = b"reader started\n"
"""Output on stderr just before a reader starts reading."""


class Unreadable(Exception):
    """File that cannot be read. ``remedy`` names a Remedy; without it, ``text`` states the remedy."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.remedy = remedy


class Limits(NamedTuple):
    """Limits of a conversion."""

    memory: int
    """Bytes of address space."""
    cpu: int
    """Seconds of CPU time."""
    seconds: int
    """Seconds of wall time."""
    size: int
    """Bytes of the converted rows."""


class Order(NamedTuple):
    """File to convert, with reader, options and limits."""

    module: str
    path: str
    options: dict[str, Any]
    limits: list[int]
    parent: int
    """Process id of the parent."""


def main() -> None:
    """Convert the file, and exit with 0; after an error, exit with 1 and a message on stderr."""
    order = Order(*json.loads(sys.argv[1]))
    limits = Limits(*order.limits)
    explain: Explain = not_started
    try:
        _set_limits(limits)
        _die_with(order.parent)
        reader = importlib.import_module(order.module)
        explain = reader.explain
        os.write(2, STARTED)
        write_lines(reader.read(order.path, **order.options), sys.stdout.buffer)
        sys.stdout.flush()
    except BaseException as error:  # a panic in Rust code is not an Exception
        message = _message(order.path, error, limits, explain)
        os.write(2, f"\n{json.dumps([str(message)[:1000], getattr(message, 'remedy', '')])}".encode())
        os._exit(1)
    os._exit(0)  # skips the libraries' clean-up, which is not needed


def _message(path: str, error: BaseException, limits: Limits, explain: Explain) -> str | Unreadable:
    if isinstance(error, Unreadable):
        return error
    if isinstance(error, MemoryError):
        return f"reading it takes more than {limits.memory >> 20:,} MB of memory; save the table as CSV"
    if isinstance(error, OSError) and error.errno in (errno.EFBIG, errno.ENOSPC, errno.EDQUOT):
        why = f"over {limits.size >> 20:,} MB" if error.errno == errno.EFBIG else "the disk is full"
        return f"its rows do not fit into a temporary file ({why}); save the table as several CSV files"
    if isinstance(error, ImportError):  # a library could not import a module that it imports on first use
        return not_started(path, error)
    return explain(path, error)


def not_started(_: str, error: BaseException | str) -> str:
    """Return the message about a reader that did not start."""
    why = error if isinstance(error, str) else f"{type(error).__name__}: {error}".partition("\n")[0]
    return (
        f"the Python at {sys.executable} could not start the reader ({why}); repair the installation, or "
        "save the table as CSV"
    )


def write_lines(lines: Iterable[Line], file: IO[bytes]) -> None:
    """Write lines as JSON. Raise Unreadable for a cell or row that is too long."""
    encode = json.JSONEncoder(separators=(",", ":")).encode
    for line in lines:
        text = encode(line)
        if len(text) > MAX_CELL:
            if len(line) > 1 and any(len(cell) > MAX_CELL for cell in line[1]):
                raise Unreadable(f"line {line[0]}: a cell is longer than {MAX_CELL} characters; shorten it")
            if len(text) > MAX_LINE:
                raise Unreadable(
                    f"line {line[0]}: the row is larger than {MAX_LINE >> 20} MB; shorten its cells"
                )
        file.write(text.encode("ascii") + b"\n")


def lowered(limits: Limits) -> Limits:
    """Return ``limits``, lowered where this process has a lower limit."""
    if resource is None:
        return limits
    kinds = {"memory": resource.RLIMIT_AS, "cpu": resource.RLIMIT_CPU, "size": resource.RLIMIT_FSIZE}
    soft = {name: resource.getrlimit(kind)[0] for name, kind in kinds.items()}
    return limits._replace(**{name: _lower(getattr(limits, name), soft[name]) for name in soft})


def _lower(limit: int, other: int) -> int:
    return limit if other == resource.RLIM_INFINITY else min(limit, other)


def _set_limits(limits: Limits) -> None:
    """Limit the resources of this process. On Windows, only the parent's time limit applies."""
    if resource is None:
        return
    for kind, limit, spare in (
        (resource.RLIMIT_AS, limits.memory, 0),
        (resource.RLIMIT_CPU, limits.cpu, 1),  # SIGXCPU at the limit, SIGKILL a second later
        (resource.RLIMIT_FSIZE, limits.size, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        _, hard = resource.getrlimit(kind)
        try:
            resource.setrlimit(kind, (limit, _lower(limit + spare, hard)))
        except (ValueError, OSError):  # for example, macOS cannot set RLIMIT_AS
            continue
    signal.alarm(limits.seconds + 2)  # stops an orphaned reader on systems without prctl


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent exits; ignore Ctrl-C, which the parent handles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:  # the parent has exited, or sys.executable is a launcher
            raise ChildProcessError("the reader is not a child of the process that requested it")
