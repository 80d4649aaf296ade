"""Entries of a journal: the plan of a job, its rows, the records that they refer to, and its runs."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import attrs
import orjson

from wosdk_async.protocol.writes import State
from wosdk_async.text.safe_text import Secrets

__all__ = [
    "ANSWERED",
    "DECIDED",
    "FORMAT",
    "KEY_EXISTS",
    "LOOKED_UP",
    "MAX_NUMBER",
    "MAX_REASON",
    "REPEATED_KEY",
    "RUN_ENGINE",
    "RUN_GIVEN",
    "RUN_REFUSED",
    "THERE_BEFORE",
    "JobPlan",
    "JobRun",
    "PageRow",
    "ReferenceRecord",
    "RowRecord",
    "State",
    "StoredRow",
    "as_last_given",
    "had_workers",
    "new_job_id",
    "presentable",
    "storable",
    "to_json",
    "usable_number",
]

T = TypeVar("T")

FORMAT = 2
"""Version of the journal's format; others are refused."""

REPEATED_KEY = "RepeatedKey"
"""Code of a row that was refused because an earlier row has the same key."""
KEY_EXISTS = "KeyExists"
"""Code of a row that was refused because a record has its key."""

ANSWERED = "answered"
"""Proof of an outcome: a response of the service."""
LOOKED_UP = "looked up"
"""Proof of an outcome: the key was absent before the first attempt, and was found after it."""
DECIDED = "decided"
"""Proof of an outcome: a person decided it."""

THERE_BEFORE = "there before"
"""Proof of a refused row: a record had its key before its first attempt in this run."""

MAX_NUMBER, MAX_REASON = 200, 1000
"""Characters that are kept of a record's number, and of a reason or warning."""

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # lower case, without letters that look like others
_ID_LENGTH = 8


PageRow = tuple[int, int, State, int, str | None]
"""Place in the file, row, state, digest and key of one row of :meth:`Journal.page`."""


@attrs.frozen(kw_only=True)
class JobPlan:
    """Subject of a ledger, and the file of its last run; ``report.json`` shows all of it.

    Args:
        job: the id of the ledger, from :func:`new_job_id`; part of markers such as ``{job}-{row}``.
        file: absolute path of the input, or its URL without credentials; ``-`` for stdin.
        company: identity of the Company, the same in every run.
        operation: operation on each row, such as ``WoCreateCommand`` or ``create Customer``.
        marker: path of the field that carries the key of a row; None without a marker.
        rows: rows of the file, without empty ones.
        created_at: start of the ledger; UTC, in ISO format.
        options: further facts for a report.
        columns: the columns of the file with content.
        header: all its columns.
        sheet: name of the sheet of a workbook.
        key: the template of row keys, such as ``{number}``; None for rows identified by their cells.
        rejects: whether the file is one of rejects.
        after: id of the ledger whose rows this one sends again.
        version: version of the journal's format.
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

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        return attrs.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> JobPlan:
        """Return the plan from :meth:`as_dict`; fields of a later minor version are dropped."""
        known = {field.name for field in attrs.fields(cls)}
        return cls(**{name: value for name, value in data.items() if name in known})


@attrs.define  # not frozen, which takes three times as long to construct
class RowRecord:
    """Outcome of a row.

    A new field comes last and has a default, so that older journals can be read; a text that may come from a
    response belongs to ``_TEXTS``, too.

    Args:
        row: the number of the row.
        id: id of the record that it created or changed.
        number: its number or name, for display.
        reason: why it was refused, is in doubt, or was not sent.
        code: ErrorCode of the service, or the class of the error.
        version: version of the record after the call; an undo leaves records with another one.
        seconds: duration of the call.
        proof: :data:`ANSWERED`, :data:`LOOKED_UP`, :data:`DECIDED`, :data:`THERE_BEFORE` or None; an undo
            touches only what this job certainly created.
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
    """Requests made; 0 also if the run was killed while it sent the row."""
    version: int | None = None
    seconds: float = 0.0
    proof: str | None = None


@attrs.define
class StoredRow(RowRecord):
    """Row of the journal, with its outcome.

    Args:
        line: line at which it starts in the last file that had it.
        digest: part of a hash of its cells there.
        place: place in the file of the last run, from 1; None if that lacks it.
        changed: whether the last file has other cells than those that were planned.
    """

    line: int = 0
    digest: int = 0
    key: str | None = None
    place: int | None = None
    changed: bool = False


@attrs.frozen
class ReferenceRecord:
    """Record that rows refer to and that the job creates, with its outcome.

    Args:
        reference: the name of the reference in the map.
        name: the name that rows give, as it is compared.
        key: the name that the new record has.
        reason: why it was not created, or not undone.
        entity: its entity type.
        field: the field that has its name.
        run: the number of the run that created it.
        version: version of the record after its creation.
        proof: :data:`ANSWERED`, or None: a record that was only found by its name may be someone else's.
        undo: the state of its undo; PLANNED without one.
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
        """Its state as the files name it; ``undone`` or ``undo_...`` once an undo began to delete it."""
        if self.undo is State.PLANNED:
            return self.state.name.lower()
        return "undone" if self.undo is State.DONE else f"undo_{self.undo.name.lower()}"


@attrs.frozen
class JobRun:
    """Process that worked on the job; times are Unix time.

    ``ended_at`` and ``exit_status`` are None while it runs, and after a kill.
    """

    number: int
    started_at: float
    ended_at: float | None
    exit_status: int | None
    details: dict[str, Any]
    """Version of the package, host, pid, user, and what ``start_run`` and ``end_run`` were given."""


RUN_GIVEN, RUN_ENGINE, RUN_REFUSED = "given", "engine", "refused"
"""Details of a run: its options as given, its worker pool, and whether it was refused."""


def had_workers(runs: Sequence[JobRun]) -> bool:
    """Return whether workers may have sent rows in one of these runs."""
    return any(run.details.get(RUN_ENGINE) and not run.details.get(RUN_REFUSED) for run in runs)


def as_last_given(plan: JobPlan, runs: Sequence[JobRun]) -> JobPlan:
    """Return a plan with the options of the last run; refused runs and undos do not count."""
    for run in reversed(runs):
        given = run.details.get(RUN_GIVEN)
        if isinstance(given, Mapping) and given and not run.details.get(RUN_REFUSED):
            return attrs.evolve(plan, options={**plan.options, **given})
    return plan


def new_job_id() -> str:
    """Return a short random id that is safe in URLs and file names, whatever their letter case."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_ID_LENGTH))


def usable_number(value: Any) -> Any:
    """Return a number of a journal bounded for dates: finite, not negative, not huge; 0 for anything else."""
    if not isinstance(value, int | float) or value != value:
        return 0
    return min(max(value, 0), _MOST)


_MOST = 10**11  # seconds since 1970; a year that dates can hold


def presentable(record: T, known: Secrets) -> T:
    """Return a record with secrets redacted and texts cut to their longest length."""
    changed: dict[str, Any] = {}
    for name, longest in _TEXTS:
        text = getattr(record, name, None)
        if text and (shown := known.shortened(text, longest)) != text:
            changed[name] = shown
    if warnings := getattr(record, "warnings", ()):
        changed["warnings"] = tuple(known.shortened(each, MAX_REASON) for each in warnings)
    evolved: Any = record
    return attrs.evolve(evolved, **changed) if changed else record


_TEXTS = (("number", MAX_NUMBER), ("reason", MAX_REASON), ("code", MAX_NUMBER), ("request_id", MAX_NUMBER))
"""Texts that may come from a response, and how many characters of each are kept."""


def to_json(value: Any) -> str:
    """Return a value as JSON; objects of other types become their text."""
    try:
        return orjson.dumps(value, default=str).decode()
    except TypeError:  # an unpaired surrogate, or an integer of more than 64 bits
        return orjson.dumps(_storable(value), default=str).decode()


def storable(text: str) -> str:
    """Return a text that UTF-8 can encode: an unpaired surrogate becomes a question mark."""
    return text.encode(errors="replace").decode()


def storable_or_none(text: str | None) -> str | None:
    """Return :func:`storable` of a text, or None."""
    return None if text is None else storable(text)


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return None  # no real id; JSON and SQLite cannot hold it
    if isinstance(value, Mapping):
        return {_storable(name): _storable(each) for name, each in value.items()}
    return [_storable(each) for each in value] if isinstance(value, list | tuple) else value
