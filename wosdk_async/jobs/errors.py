"""Errors in the files, maps, journals and rows of jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wosdk_async.errors import ConfigurationError, InvalidCallError, WosdkError
from wosdk_async.model import Record
from wosdk_async.protocol.validation import problems
from wosdk_async.text.remedies import in_json


class ImportMapError(ConfigurationError):
    """Invalid input file or map; the message says where."""

    kind = "import-map"


_MAX_MISTAKES = 20  # reported together


class MapMistakes:
    """Collector of the mistakes in a map; the first ones are reported together."""

    def __init__(self) -> None:
        self._mistakes: list[ImportMapError] = []

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Collect an ImportMapError that the block raises."""
        try:
            yield
        except ImportMapError as error:
            self._mistakes.append(error)
            if len(self._mistakes) == _MAX_MISTAKES:
                self.require_none()

    def require_none(self) -> None:
        """Raise one ImportMapError for all collected mistakes, if any."""
        if self._mistakes:
            facts = {name: value for each in self._mistakes for name, value in each.facts.items()}
            raise ImportMapError(" -- also ".join(each.message for each in self._mistakes), **facts)


class JournalError(WosdkError):
    """Unusable or unwritable journal; the message says where."""

    kind = "journal"


class OutputError(WosdkError):
    """Failure to write a job's output files. The journal is intact, so the files can be written again."""

    kind = "outputs"


class RunStoppedError(WosdkError):
    """Reason why a run stopped early, in ``Summary.stopped``; imports do not raise it.

    ``kind`` is ``asked``, ``client-closed``, ``all-refused``, ``all-exist``, ``none-sent``, ``marker``,
    ``references``, ``too-many-failed``, ``too-many-in-doubt`` or, after a failed look-up, ``stopped``.
    ``Summary.stopped`` may also be another WosdkError.
    """

    kind = "stopped"


class RowError(InvalidCallError):
    """Row that cannot be sent; other rows are not affected."""

    kind = "row"
    faults: tuple[RowError, ...] = ()
    """Individual errors, if the row has several."""


class AmbiguousNameError(RowError):
    """Row with a name or key that matches several records."""

    kind = "ambiguous-name"


class MissingRecordError(RowError):
    """Row that refers to a missing record."""

    kind = "missing-record"


class WaitingRowError(RowError):
    """Row that cannot be sent in this run; the next run tries again."""

    kind = "waiting-row"


def joined(faults: Sequence[RowError]) -> RowError:
    """Combine all errors of a row, so that the user can fix them together.

    A :class:`WaitingRowError` counts only if the row has no other error.
    """
    single = [fault for each in faults for fault in each.faults or (each,)]
    # A key and a field with the same cells may report the same fault.
    single = list({each.message: each for each in single}.values())
    final = [each for each in single if not isinstance(each, WaitingRowError)] or single[:1]
    if len(final) == 1:
        return final[0]
    kinds = {type(each) for each in final}
    kind = kinds.pop() if len(kinds) == 1 else RowError
    error = kind("; ".join(map(reason_of, final)))
    error.faults = tuple(final)
    return error


def reason_of(error: Exception) -> str:
    """Return an error's message, to store as the reason of an outcome."""
    return error.explained(in_json) if isinstance(error, WosdkError) else f"{type(error).__name__}: {error}"


def zeros_hint(name: str) -> str:
    """Return a hint that a spreadsheet may have dropped leading zeros, if ``name`` is a short number."""
    is_short = name.isdecimal() and len(name) < 4
    return "; did a spreadsheet drop leading zeros?" if is_short else ""


def require_file(path: Path) -> None:
    """Raise ImportMapError if ``path`` is not a readable regular file."""
    try:
        if path.is_file():
            path.open("rb").close()
            return
    except OSError as error:
        raise ImportMapError(
            f"{path} cannot be read ({error.strerror or error}); change the permissions, or copy the file to "
            "a readable folder"
        ) from None
    if path.is_dir():
        why = "this is a directory; name a file"
    elif path.exists():
        why = "this is not a regular file, and an import reads its input twice; save the data as a file first"
    else:
        why = "no such file"
    raise ImportMapError(f"{path}: {why}")


def require_sendable(record: Record, *, new: bool = False) -> None:
    """Raise RowError if the client would refuse to send ``record``."""
    if faults := [str(each) for each in problems(record, new=new) if each.severity == "error"]:
        raise RowError(f"{type(record).__name__}: {' '.join(faults)}")
