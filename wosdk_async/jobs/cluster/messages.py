"""Messages between a job's coordinator and workers, and protocols for their transport.

The coordinator sends an :class:`Order`, and the worker responds with a :class:`Report`. Messages may be lost,
late or repeated. So an order repeats all grants that the worker has not confirmed, and a report repeats all
results that the coordinator has not confirmed. Times are durations or readings of the worker's own clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, runtime_checkable

import attrs
from cattrs.preconf.orjson import make_converter

from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.journal.entries import storable
from wosdk_async.text.secret import Secret, as_secret

MAX_RESULTS = 1000
"""Maximum results per report."""


@attrs.frozen(kw_only=True)
class Setup:
    """Constant settings of a job for its workers, without secrets.

    ``marker`` is the field for look-ups of calls in doubt; None disables look-ups. A worker shuts down after
    ``lease`` seconds without a message. The fields from ``deadline`` on are those of ``CallOptions`` and
    ``ClientOptions``.
    """

    operation: str
    company: str
    marker: str | None
    lease: float
    deadline: float
    settle: float
    attempts: int
    max_in_flight: int
    trusted_hosts: tuple[str, ...] = ()
    check_request_ids: bool = True


@attrs.frozen
class GrantedRow:
    """Row to send: its number, its command or record as JSON, and how often it was lost."""

    row: int
    body: str = attrs.field(repr=False)
    losses: int = 0


@attrs.frozen(kw_only=True)
class Grant:
    """Permission to send rows until the worker's clock reads ``ends``. Each new grant has a higher epoch."""

    epoch: int
    ends: float
    rows: tuple[GrantedRow, ...]


@attrs.frozen(kw_only=True)
class Share:
    """A worker's share of the rate and concurrent calls; it replaces shares with lower numbers."""

    number: int
    rate: float | None
    """Calls per second; None for no limit."""
    in_flight: int


NO_SHARE = Share(number=0, rate=None, in_flight=0)
"""Empty share; any other share has a higher number."""


@attrs.frozen(kw_only=True)
class PushedSession:
    """Company session, which expires in ``expires_in`` seconds."""

    number: int
    token: Secret = attrs.field(converter=as_secret)
    base_url: str
    expires_in: float


@attrs.frozen(kw_only=True)
class Order:
    """Instructions for the worker with the nonce ``worker``; other workers ignore them.

    ``received`` is the number of the last result received. ``grants`` are the grants that the worker has not
    confirmed. ``session`` is None if the worker has the newest session. After ``stop`` the worker starts no
    rows; after ``abort`` it also cancels its calls. The worker may wait ``patience`` seconds for results
    before responding.
    """

    worker: str
    received: int
    share: Share
    grants: tuple[Grant, ...] = ()
    session: PushedSession | None = None
    stop: bool = False
    abort: bool = False
    patience: float = 0.1


@attrs.frozen(kw_only=True)
class RowReport:
    """Outcome of one row under one grant.

    ``number`` is the result's sequence number; a resent result keeps it.
    ``not_sent`` means that no request for the row takes effect, now or later. The fields from ``entity`` to
    ``found`` describe the effect of a completed row; the fields from ``error`` to ``request_id`` describe an
    error.
    """

    number: int
    epoch: int
    row: int
    result: Literal["done", "failed", "in_doubt", "not_sent"]
    entity: str = ""
    id: int | None = None
    record: str | None = attrs.field(default=None, converter=attrs.converters.optional(storable))
    version: int | None = None
    found: bool = False
    error: str = ""
    reason: str = attrs.field(default="", converter=storable)
    code: str = attrs.field(default="", converter=storable)
    status: int = 0
    request_id: str | None = attrs.field(default=None, converter=attrs.converters.optional(storable))
    attempts: int = 0
    waits: tuple[float, ...] = ()
    seconds: float = 0.0


@attrs.frozen(kw_only=True)
class Report:
    """A worker's response to an order, with the worker's random nonce and clock reading.

    ``results`` are the results that the coordinator has not confirmed, and ``epochs`` identify the grants
    with unreported rows. ``share`` and ``session`` are the numbers of the share and session in use. While a
    call waits for the next session, ``session_refused`` is the newest session's number; otherwise, it is 0.
    """

    worker: str
    clock: float
    results: tuple[RowReport, ...] = ()
    epochs: tuple[int, ...] = ()
    share: int = 0
    session: int = 0
    session_refused: int = 0
    unstarted: int = 0


_converter = make_converter(detailed_validation=False, omit_if_default=True)
_converter.register_unstructure_hook(Secret, Secret.reveal)
_converter.register_structure_hook(Secret, lambda text, _: as_secret(text))


to_bytes = _converter.dumps
"""Function that encodes a message as JSON."""
from_bytes = _converter.loads
"""Function that decodes a JSON message of a given type."""


class WorkerLink(Protocol):
    """Connection to one worker; ``lost`` is the reason why the connection no longer works."""

    name: str
    lost: str

    async def exchange(self, order: bytes) -> bytes:
        """Send an order and return the worker's report.

        Raises OSError if the report is lost, or another error if the worker is gone.
        """

    async def aclose(self) -> None:
        """Release the worker without waiting for it."""


@runtime_checkable
class WorkerPool(Protocol):
    """Pool that starts workers. A job's guarantees for its rows do not depend on the pool."""

    name: str
    """Display name, such as ``3 processes``."""

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        """Start workers.

        Call ``joined`` for each worker, now or later, and ``broken`` if all workers are lost for good.
        """

    async def aclose(self) -> None:
        """Shut down all workers."""


def require_pool(workers: object) -> None:
    """Raise InvalidCallError if ``workers`` is neither a pool nor None."""
    if workers is not None and (isinstance(workers, type) or not isinstance(workers, WorkerPool)):
        raise InvalidCallError(f"workers={workers!r} is not a worker pool; write workers=Processes(4)")
