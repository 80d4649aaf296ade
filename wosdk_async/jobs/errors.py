"""Errors of jobs: of a file, map, journal or row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wosdk_async.errors import ConfigurationError, InvalidCallError, WosdkError
from wosdk_async.model import Record
from wosdk_async.protocol.validation import problems
from wosdk_async.text.remedies import in_json

__all__ = [
    "AmbiguousNameError",
    "ImportMapError",
    "JournalError",
    "MapMistakes",
    "MissingRecordError",
    "OutputError",
    "RowError",
    "RunStoppedError",
    "WaitingRowError",
    "joined",
    "reason_of",
    "require_file",
    "require_sendable",
]


class ImportMapError(ConfigurationError):
    """Invalid file or map; the message names the place."""

    kind = "import-map"


class MapMistakes:
    """Mistakes of a map, collected to be reported together."""

    def __init__(self) -> None:
        self._mistakes: list[ImportMapError] = []

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Collect an ImportMapError that the block raises."""
        try:
            yield
        except ImportMapError as error:
            self._mistakes.append(error)

    def require_none(self) -> None:
        """Raise one ImportMapError for all that were collected."""
        if self._mistakes:
            facts = {name: value for each in self._mistakes for name, value in each.facts.items()}
            raise ImportMapError(" -- also ".join(each.message for each in self._mistakes), **facts)


class JournalError(WosdkError):
    """Journal that cannot be used or written; the message names the place."""

    kind = "journal"


class OutputError(WosdkError):
    """Files of a job that could not be written; its journal is intact, so they can be written again."""

    kind = "outputs"


class RunStoppedError(WosdkError):
    """Reason why a run stopped early; it is not raised, ``Summary.stopped`` has it.

    ``kind`` names the rule: ``asked``, ``client-closed``, ``all-refused``, ``none-sent``, ``marker``,
    ``references``, ``too-many-failed`` or ``too-many-in-doubt``. Otherwise ``stopped`` has the error that
    stopped it.
    """

    kind = "stopped"


class RowError(InvalidCallError):
    """Row that cannot be sent; the others can."""

    kind = "row"
    faults: tuple[RowError, ...] = ()
    """Single faults of a row that has several."""


class AmbiguousNameError(RowError):
    """Row that names several records."""

    kind = "ambiguous-name"


class MissingRecordError(RowError):
    """Row that names a record that does not exist and is not created."""

    kind = "missing-record"


class WaitingRowError(RowError):
    """Row that cannot be sent in this run; the next run of the job may send it."""

    kind = "waiting-row"


def joined(faults: Sequence[RowError]) -> RowError:
    """Return one error for all faults of a row, so that they can be fixed together.

    A row that a later run could send is refused when it has other faults.
    """
    single = [fault for each in faults for fault in each.faults or (each,)]
    single = list({each.message: each for each in single}.values())  # a key may also fail as a field
    final = [each for each in single if not isinstance(each, WaitingRowError)] or single[:1]
    if len(final) == 1:
        return final[0]
    kinds = {type(each) for each in final}
    kind = kinds.pop() if len(kinds) == 1 else RowError
    error = kind("; ".join(map(reason_of, final)))
    error.faults = tuple(final)
    return error


def reason_of(error: Exception) -> str:
    """Return the message of an error, as the reason of a row or record."""
    return error.explained(in_json) if isinstance(error, WosdkError) else f"{type(error).__name__}: {error}"


def require_file(path: Path) -> None:
    """Raise ImportMapError when ``path`` is not a file that can be read twice."""
    try:
        if path.is_file():
            path.open("rb").close()
            return
    except OSError as error:
        raise ImportMapError(
            f"{path}: cannot be read ({error.strerror or error}); change its permissions, or copy it to a "
            "place where you may read it"
        ) from None
    if path.is_dir():
        why = "is a directory; name a file"
    elif path.exists():
        why = "is not a regular file; it is read twice, so save it as a file first"
    else:
        why = "there is no such file"
    raise ImportMapError(f"{path}: {why}")


def require_sendable(record: Record, *, new: bool = False) -> None:
    """Raise RowError when the client would refuse to send ``record``."""
    if faults := [str(each) for each in problems(record, new=new) if each.severity == "error"]:
        raise RowError(f"{type(record).__name__}: {' '.join(faults)}")
