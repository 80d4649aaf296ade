"""Journal entries: a job's plan, rows, references and runs."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import attrs
import msgspec
import orjson

from wosdk_async.protocol.writes import State
from wosdk_async.text.safe_text import Secrets

T = TypeVar("T")

FORMAT = 4
"""Journal format version; other versions are refused."""

# Codes for refused rows
REPEATED_KEY = "RepeatedKey"  # another row has the same key
KEY_EXISTS = "KeyExists"  # a record already has the row's key

# Proofs of an outcome
ANSWERED = "answered"  # a response from the service
LOOKED_UP = "looked up"  # the key was absent before the first attempt and was found afterwards
DECIDED = "decided"  # a person's decision
THERE_BEFORE = "there before"  # for a refused row: a record had its key before this run's first attempt

MAX_NUMBER, MAX_REASON = 200, 1000
"""Maximum stored lengths in characters: of a record's number, and of a reason or warning."""

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # lower case, without look-alikes


PageRow = list[Any]
"""A row of a page as a list: place in the file, row, state number, digest, whether tried (0 or 1), key."""


@attrs.frozen(kw_only=True)
class JobPlan:
    """A ledger's fixed properties and the file of its last run, all shown in ``report.json``.

    Args:
        job: the ledger's id; part of markers such as ``{job}-{row}``.
        file: the input's absolute path; for stdin or a URL, the path of its copy in the job folder.
        company: the Company's identifier, the same in every run.
        operation: the operation on each row, such as ``WoCreateCommand`` or ``create Customer``.
        marker: the path of the field with the row key; None without a marker.
        rows: the number of non-empty rows in the file.
        created_at: the ledger's creation time; UTC, in ISO format.
        columns: the file's non-empty columns; ``header`` has all columns.
        key: the row key template, such as ``{number}``; None for rows identified by their cells.
        after: the id of the ledger whose rows this ledger resends.
    """

    job: str
    file: str
    size: int
    sha256: str
    company: str
    operation: str
    map_sha256: str
    created_at: str
    marker: str | None = None
    rows: int = 0
    empty_rows: int = 0
    options: dict[str, Any] = attrs.field(factory=dict)
    columns: list[str] = attrs.field(factory=list)
    header: list[str] = attrs.field(factory=list)
    sheet: str | None = None
    key: str | None = None
    rejects: bool = False
    after: str | None = None
    version: int = FORMAT


class RowRecord(msgspec.Struct):
    """Outcome of a row.

    Append new fields with defaults, so that older journals stay readable. If a field may hold text from a
    response, add the field's name to ``_TEXTS``.

    Args:
        number: the record's number or name, for display.
        code: the service's ErrorCode, or the name of the error's class.
        version: the record's version after the call; an undo skips records with a different version.
        proof: :data:`ANSWERED`, :data:`LOOKED_UP`, :data:`DECIDED`, :data:`THERE_BEFORE` or None. An undo
            touches only records that the job certainly created.
    """

    row: int
    state: State
    id: int | None = None
    number: str | None = None
    reason: str | None = None
    code: str | None = None
    request_id: str | None = None
    warnings: tuple[str, ...] = ()
    attempts: int = 0
    """Number of requests; also 0 if the run was killed while sending the row."""
    version: int | None = None
    seconds: float = 0.0
    proof: str | None = None


class StoredRow(RowRecord):
    """Journal row with its outcome.

    Args:
        line: the row's first line in the last file that contained the row.
        digest: truncated hash of the row's cells in that file.
        place: position in the last run's file (the first is 1); None if the row is missing from that file.
        changed: whether the cells have changed since the row was planned; for a row in doubt, also whether
            the map has changed since the row was sent.
    """

    line: int = 0
    digest: int = 0
    key: str | None = None
    place: int | None = None
    changed: bool = False


@attrs.frozen
class ReferenceRecord:
    """Reference created by the job, with its outcome.

    Args:
        reference: the reference's name in the map.
        name: the name in the rows, normalized.
        key: the name that the new record has in its property ``field``.
        run: the number of the run that created the record.
        version: the record's version after its creation.
        proof: :data:`ANSWERED`, or None if the record was only found by name and may be someone else's.
        undo: the undo state; PLANNED without an undo.
    """

    reference: str
    name: str
    key: str
    state: State
    id: int | None = None
    reason: str | None = None
    request_id: str | None = None
    entity: str = ""
    field: str = ""
    run: int = 0
    version: int | None = None
    proof: str | None = None
    undo: State = attrs.field(default=State.PLANNED, converter=State)

    @property
    def outcome(self) -> str:
        """The outcome's name in output files; ``undone`` or ``undo_...`` once an undo has started."""
        if self.undo is State.PLANNED:
            return self.state.name.lower()
        if self.undo is State.SENDING:  # the undo was killed
            return "undo_in_doubt"
        return "undone" if self.undo is State.DONE else f"undo_{self.undo.name.lower()}"


@attrs.frozen
class JobRun:
    """One execution of the command; its times are Unix times.

    ``ended_at`` and ``exit_status`` are None during the run, and remain None after a kill.
    """

    number: int
    started_at: float
    ended_at: float | None
    exit_status: int | None
    details: dict[str, Any]
    """Package version, host, pid, user, and the details passed to ``start_run`` and ``end_run``."""


RUN_GIVEN, RUN_ENGINE, RUN_REFUSED = "given", "engine", "refused"
"""Keys of a run's ``details``: its options as given, its worker pool, and whether it was refused."""


def had_workers(runs: Sequence[JobRun]) -> bool:
    """Return whether workers may have sent rows in any of these runs."""
    return any(run.details.get(RUN_ENGINE) and not run.details.get(RUN_REFUSED) for run in runs)


def as_last_given(plan: JobPlan, runs: Sequence[JobRun]) -> JobPlan:
    """Return a plan with the last run's options, ignoring refused runs and undos."""
    for run in reversed(runs):
        given = run.details.get(RUN_GIVEN)
        if isinstance(given, Mapping) and given and not run.details.get(RUN_REFUSED):
            return attrs.evolve(plan, options={**plan.options, **given})
    return plan


def new_job_id() -> str:
    """Return a short random id that is safe in URLs and in case-insensitive file names."""
    return "".join(secrets.choice(_LETTERS) for _ in range(8))


def usable_number(value: Any) -> Any:
    """Clamp a journal's number of seconds to a range that dates support; return 0 if it is not a number."""
    if type(value) is float and 0 <= value <= _MAX_SECONDS:  # nearly always
        return value
    if not isinstance(value, int | float) or value != value:
        return 0
    return min(max(value, 0), _MAX_SECONDS)


_MAX_SECONDS = 10**11  # as a Unix time, in year 5138; datetime supports years up to 9999


def presentable(record: T, known: Secrets) -> T:
    """Return a record with secrets redacted and strings truncated."""
    if isinstance(record, RowRecord) and not any(_other_texts(record)):  # nearly always
        number = record.number
        if number is None or known.shortened(number, MAX_NUMBER) == number:
            return record
    changed: dict[str, Any] = {
        name: known.shortened(text, longest)
        for name, longest in _TEXTS
        if (text := getattr(record, name, None))
    }
    if warnings := getattr(record, "warnings", ()):
        changed["warnings"] = tuple(known.shortened(each, MAX_REASON) for each in warnings)
    replace: Any = msgspec.structs.replace if isinstance(record, RowRecord) else attrs.evolve
    return replace(record, **changed) if changed else record


_TEXTS = (("number", MAX_NUMBER), ("reason", MAX_REASON), ("code", MAX_NUMBER), ("request_id", MAX_NUMBER))
"""Fields that may come from a response, with their maximum lengths."""
_other_texts = operator.attrgetter("reason", "code", "request_id", "warnings")


def to_json(value: Any) -> str:
    """Serialize a value to JSON, converting unsupported types to strings."""
    try:
        return orjson.dumps(value, default=str).decode()
    except TypeError:  # raised for an unpaired surrogate or an integer of more than 64 bits
        return orjson.dumps(_storable(value), default=str).decode()


def storable(text: str) -> str:
    """Replace unpaired surrogates in a string with question marks, so that UTF-8 can encode it."""
    return text.encode(errors="replace").decode()


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return None  # not a real id, and too large for JSON or SQLite
    if isinstance(value, Mapping):
        return {_storable(name): _storable(each) for name, each in value.items()}
    return [_storable(each) for each in value] if isinstance(value, list | tuple) else value
