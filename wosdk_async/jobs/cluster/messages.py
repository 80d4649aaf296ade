"""Messages between the coordinator of a job and its workers.

The coordinator sends an :class:`Order`, and the worker responds with a :class:`Report`. Each may be lost,
late or repeated. So an order repeats all grants that the worker has not confirmed, and a report repeats all
results that the coordinator has not confirmed; both know by the numbers what they have already.

Times are durations, or readings of the worker's own clock that come back to it: the clocks of two machines
are never compared.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

import attrs
import orjson
from cattrs.preconf.orjson import make_converter

from wosdk_async.jobs.cluster.strict_reading import Between, Longest, read_strictly

__all__ = [
    "LONGEST",
    "MOST_RESULTS",
    "MOST_WAITS",
    "Grant",
    "GrantedRow",
    "MessageError",
    "Order",
    "PushedSession",
    "Report",
    "RowReport",
    "RowResult",
    "Setup",
    "Share",
    "WorkerLostError",
    "from_bytes",
    "to_bytes",
]

LONGEST = 64 << 20
"""Bytes of one message; a longer one is refused, not read."""
MOST_RESULTS = 1000
"""Results in one report."""
MOST_WAITS = 1000
"""Waits of one row that are reported: the last ones."""

M = TypeVar("M")

Seconds = Annotated[float, Between(0.0, 1e9)]
Rate = Annotated[float, Between(0.0, 1e15)]
Count = Annotated[int, Between(0, 1_000_000)]
"""A number that may be summed up."""
LongText = Annotated[str, Longest(LONGEST)]
"""A text that is not cut."""

RowResult = Literal["done", "failed", "in_doubt", "not_sent"]
"""``not_sent`` is the worker's word that no request of the row took effect, or will."""


class MessageError(Exception):
    """A message that cannot be read: the other side is damaged, or has another version of the package."""


class WorkerLostError(Exception):
    """A worker that can no longer be reached.

    ``ended`` says that its process has surely ended, so that it sends nothing more.
    """

    def __init__(self, message: str, *, ended: bool = False) -> None:
        super().__init__(message, ended)
        self.message = message
        self.ended = ended

    def __str__(self) -> str:
        """Return the message."""
        return self.message


# --- to the worker --------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Setup:
    """Everything about a job that a worker needs and that does not change; no secrets.

    Args:
        job: the id of the job.
        run: the number of the run in its journal: each start of the coordinator has a higher one.
        version: of this package; a worker of another version refuses to start.
        operation: the name of the operation, such as ``WoCreateCommand``.
        company: the name of the Company.
        marker: path of the field by which a call in doubt is looked up by the client; None for no look-up.
        deadline: seconds that one row may take, look-ups and further attempts included.
        settle: seconds after which a create that is not found will not appear any more.
        attempts: most attempts of a row.
        most_in_flight: most calls at a time that any share of this worker allows.
        trusted_hosts: hosts that may be reached without https.
        check_request_ids: as in ``ClientOptions``.
        orphan: seconds without an order after which a worker of a cluster gives up the coordinator; a process
            sees that its coordinator is gone.
        folder: folder of the job on the coordinator's machine, where its processes keep what they could not
            deliver; empty for workers of other machines.
    """

    job: str
    run: int
    version: str
    operation: str
    company: str
    marker: str | None
    deadline: Seconds
    settle: Seconds
    attempts: int
    most_in_flight: int
    trusted_hosts: tuple[str, ...] = ()
    check_request_ids: bool = True
    orphan: Seconds = 60.0
    folder: str = ""


@attrs.frozen
class GrantedRow:
    """A row that a worker may send: its number, and the command or record as the JSON of its fields."""

    row: int
    body: LongText = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class Grant:
    """Permission to send some rows until the lease ends.

    Args:
        epoch: number of the grant, higher than that of every grant of the job before.
        ends: the reading of the worker's clock at which the lease ends; made from the clock of its report.
        rows: the rows.
    """

    epoch: int
    ends: float
    rows: tuple[GrantedRow, ...]


@attrs.frozen(kw_only=True)
class Share:
    """A worker's share of the Company's rate and concurrency; a higher ``number`` replaces a lower one.

    ``rate`` is calls in a second, None for no limit. With ``in_flight`` 0 the worker starts nothing.
    """

    number: int
    rate: Rate | None
    in_flight: int


@attrs.frozen(kw_only=True)
class PushedSession:
    """Token and host of the Company, as the coordinator opened them; ``expires_in`` is seconds from now."""

    number: int
    token: LongText = attrs.field(repr=False)
    base_url: str
    expires_in: float


@attrs.frozen(kw_only=True)
class Order:
    """What the coordinator wants of a worker.

    Args:
        worker: the nonce of the worker that is meant; another one that took its place obeys nothing in it.
        received: number of the last result that arrived; the worker forgets those up to it.
        grants: all grants that the worker has not confirmed.
        withdrawn: epochs of which no further row may be started.
        share: the share that holds now.
        session: the session to use from now on; None when the worker has it.
        stop: start no further row of any grant.
        abort: cancel the calls under way, too.
        patience: seconds for which the worker may wait for results before it responds.
    """

    worker: str
    received: int
    share: Share
    grants: tuple[Grant, ...] = ()
    withdrawn: tuple[int, ...] = ()
    session: PushedSession | None = None
    stop: bool = False
    abort: bool = False
    patience: Seconds = 0.1


# --- from the worker ------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class RowReport:
    """What became of one row under one grant; idempotent by ``number``.

    Args:
        number: number of the result of this worker, from 1 on.
        epoch: the grant.
        row: the row.
        result: see :data:`RowResult`.
        entity, id, record, version: the effect of a row that is done; ``record`` is its number or name.
        found: whether its record was there before the first attempt.
        error: class of the error of a row that failed or is in doubt; ``reason``, ``code``, ``status`` and
            ``request_id`` are those of the error.
        attempts: requests that were made for it.
        waits: seconds before each further attempt.
        seconds: duration of the call.
    """

    number: int
    epoch: int
    row: int
    result: RowResult
    entity: str = ""
    id: int | None = None
    record: str | None = None
    version: int | None = None
    found: bool = False
    error: str = ""
    reason: str = ""
    code: str = ""
    status: Annotated[int, Between(0, 999)] = 0
    request_id: str | None = None
    attempts: Count = 0
    waits: Annotated[tuple[Seconds, ...], Longest(MOST_WAITS)] = ()
    seconds: Seconds = 0.0


@attrs.frozen(kw_only=True)
class Report:
    """What a worker responds to an order.

    Args:
        worker: nonce of the worker, drawn when it was made.
        clock: the reading of its clock when the report was made (it runs on while the machine sleeps).
        results: those that the coordinator has not confirmed, the oldest first; not more than fit a message.
        epochs: grants that it has, with rows that are not reported yet.
        share: number of the share that it keeps to.
        session: number of the newest session that it has; 0 for none.
        session_refused: that number when it is used up: refused by the service, or about to end; else 0.
        throttled: responses so far that asked to wait (429, 503).
        unstarted: rows of which it has made no request.
        draining: whether it takes no further rows, as its process was asked to end.
    """

    worker: str
    clock: float
    results: Annotated[tuple[RowReport, ...], Longest(MOST_RESULTS)] = ()
    epochs: tuple[int, ...] = ()
    share: int = 0
    session: int = 0
    session_refused: int = 0
    throttled: int = 0
    unstarted: int = 0
    draining: bool = False


# --- bytes ----------------------------------------------------------------------------------

_converter = make_converter(detailed_validation=False, omit_if_default=True)


def to_bytes(message: object) -> bytes:
    """Return a message as JSON."""
    return _converter.dumps(message)


def from_bytes(data: bytes, kind: type[M]) -> M:
    """Return the message of type ``kind`` in ``data``; each value has the type and bounds of its class.

    Raises:
        MessageError: it is not one.
    """
    if len(data) > LONGEST:
        raise MessageError(f"a message of {len(data)} bytes; at most {LONGEST} are read")
    try:
        return read_strictly(orjson.loads(data), kind)
    except ValueError as error:  # of the JSON, too
        raise MessageError(f"not a {kind.__name__}: {error}") from None
