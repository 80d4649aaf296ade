"""Company for one test: in-process, without a socket, removed after the test."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from types import TracebackType
from typing import Any, Self

import attrs

from wosdk_async.client import Client
from wosdk_async.options import ClientOptions, Timeouts
from wosdk_async.options.checks import takes_options
from wosdk_async.sandbox import CompaniesOfTests
from wosdk_async.sandbox.clock import require_start
from wosdk_async.sandbox.faults.script import Rule
from wosdk_async.sandbox.faults.state import Faults
from wosdk_async.sandbox.http.app import create_app
from wosdk_async.sandbox.http.recorder import RecordedRequest as RecordedRequest  # the package exports it
from wosdk_async.sandbox.http.recorder import RecordedRequests, RequestRecorder
from wosdk_async.sandbox.schema.dialect import SPEC, dialect_of
from wosdk_async.sandbox.seed.initial import open_store, set_verification
from wosdk_async.sandbox.storage.store import Store
from wosdk_async.testing.clock import SkippingClock
from wosdk_async.testing.engines import AsgiEngine, ClockForOtherClients, InProcessTransport
from wosdk_async.transport.session.credentials import Credentials, Region

Rows = Mapping[str, Sequence[Mapping[str, Any]]]

_HOST = "only-in-process.wosdk.test"  # a name that no resolver knows (RFC 6761), and that errors show
_ROOT = f"https://{_HOST}"


@attrs.frozen
class Snapshot:
    """All rows of a sandbox at one time; usable only in the same sandbox."""

    _store: Store = attrs.field(repr=False)


class Sandbox(CompaniesOfTests):
    """Company for one test, used like :class:`wosdk_async.sandbox.LocalCompany`.

    Creation takes a millisecond, and instances share nothing. A sandbox works in any event loop, but only in
    one at a time. Only this process can reach its host.

    Args:
        company: name, or several names (default: "AcmeFacilities"). The first is the default for methods that
            take a name.
        empty: whether the Companies have no initial records.
        verification: whether the Companies have the verification step.
        dialect: ``spec`` to respond as specified, or ``recorded`` to respond like a release of the service
            whose responses were recorded.
        seed: rows in addition to the initial ones, as for :meth:`seed`.
        now: start time of the clock, with a time zone (default: now).

    Raises:
        StoreError: a row of ``seed`` is invalid.
        ValueError: a name is invalid, the dialect is unknown, or ``now`` has no time zone.

    Attributes:
        app: ASGI application, for other HTTP clients.
        clock: clock of the Companies and their clients; may be moved forward at any time.
        faults: fault script and counters; empty at first.
    """

    clock: SkippingClock

    def __init__(
        self,
        *,
        company: str | Sequence[str] = (),
        empty: bool = False,
        verification: bool = True,
        dialect: str = SPEC.name,
        seed: Rows | None = None,
        now: datetime | None = None,
    ) -> None:
        self._dialect = dialect_of(dialect)
        require_start(now, "now")
        self.clock = SkippingClock(now)
        self.faults = Faults()
        self._exits = contextlib.ExitStack()
        self._start = Snapshot(_template(_names(company), bool(empty)))
        self._store = self._copy(self._start._store)
        if not verification:
            set_verification(self._store, self._store.companies(), verification)
            self._start = self.snapshot()
        companies = self._store.companies()
        self._first, self._root = companies[0], _ROOT
        self.faults.companies = [each.name for each in companies]
        app = create_app(self._store, self.clock, dialect=dialect, faults=self.faults)
        self.app = self._recorder = RequestRecorder(ClockForOtherClients(app, self.clock))
        self._clients: weakref.WeakSet[Client] = weakref.WeakSet()
        self._transport = InProcessTransport(self.app, _HOST, self.clock)
        if seed:
            self.seed(seed)
            self._start = self.snapshot()

    def __repr__(self) -> str:
        return f"<Sandbox {self.name!r} {self.clock!r} requests={len(self.app.requests)}>"

    @property
    def name(self) -> str:
        """The Company's name."""
        return self._first.name

    @takes_options(ClientOptions)
    def client(self, options: ClientOptions) -> Client:
        """Return a client for all Companies of the sandbox. It holds no socket and need not be closed.

        Keyword arguments are options of :class:`~wosdk_async.Client`. Options for TLS, proxies, HTTP/2 and
        httpx, timeouts other than ``read``, and limits on idle connections and headers have no effect,
        because nothing is sent over a network.
        """
        given: dict[str, Any] = attrs.asdict(options, recurse=False)
        of_network = dict.fromkeys(("transport", "http_client", "ssl_context", "proxy"))
        client = Client(
            region=Region("sandbox", locator_url=_ROOT, token_url=f"{_ROOT}/OAuth/token"),
            credentials=self._credentials,
            company=self.name,
            engine=lambda limits: AsgiEngine(self._transport, limits, options.timeouts or Timeouts()),
            clock=self.clock.client_clock(),
            **given | of_network | {"trusted_hosts": (*(options.trusted_hosts or ()), _HOST)},
        )
        self._clients.add(client)
        return client

    def snapshot(self) -> Snapshot:
        """Return all current rows, for :meth:`reset`."""
        return Snapshot(self._copy(self._store))

    def reset(self, snapshot: Snapshot | None = None) -> None:
        """Restore all Companies of the sandbox from a snapshot, or to their initial rows.

        Clients stay connected; those from :meth:`client` forget cached records.

        Raises:
            TypeError: ``snapshot`` is not a snapshot.
        """
        if snapshot is not None and not isinstance(snapshot, Snapshot):
            raise TypeError(
                f"reset takes a snapshot from snapshot(), not {snapshot!r}; omit it for the initial state."
            )
        self._store.copy_from((snapshot or self._start)._store)
        for client in self._clients:
            client._transport.forget_records()

    def close(self) -> None:
        """Cancel running calls and discard all rows."""
        self._transport.close()
        for late in list(self.faults.late):
            if not (loop := late.get_loop()).is_closed():
                loop.call_soon_threadsafe(late.cancel)
        self._exits.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _credentials(self, company: str) -> Credentials:
        try:
            found = self._company(company)
        except KeyError:
            found = self._first  # valid credentials, so that discovery refuses the name
        return Credentials(found.client_id, found.client_secret)

    def _copy(self, store: Store) -> Store:
        return self._exits.enter_context(contextlib.closing(Store(":memory:", like=store)))


def _names(company: str | Sequence[str]) -> tuple[str, ...]:
    names = (company,) if isinstance(company, str) else company
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"company is {company!r}; it must be a name, or a list of names.")
    if not all(name.strip() for name in names):
        raise ValueError(
            f"company is {company!r}; a name must not be empty. Omit company= to use AcmeFacilities."
        )
    return tuple(names)


@cache
def _template(companies: tuple[str, ...], empty: bool) -> Store:
    """Return a store with new Companies as a template to copy, cached per process.

    Copying its pages takes half a millisecond; creating a store takes fifty.
    """
    return open_store(":memory:", *companies, empty=empty)


# --- faults without effect ----------------------------------------------------------------------------

_COMMANDS = "/api/v1/cmd/"
_DISCOVERY = "GetCompanyWsdkUrlCommand"  # sent by a client's log-in, not by the test
_BASE = frozenset({"create", "update", "delete"})
"""Fault-rule operations that match only requests for records; users may expect them to match commands too."""


_IF_INTENDED = "If intended, end the test with wosdk_faults.clear()"


class UnmatchedFaultWarning(UserWarning):
    """Rule of ``wosdk_faults`` without effect: it matched no request, or an earlier rule applied instead."""


def unmatched_warnings(faults: Faults, requests: RecordedRequests) -> Iterator[UnmatchedFaultWarning]:
    """Yield a warning for each rule that had no effect."""
    unmatched = faults.unmatched()
    paths = [request.path for request in requests.stored] if unmatched else []
    commands = [path.removeprefix(_COMMANDS) for path in paths if path.startswith(_COMMANDS)]
    commands = [name for name in commands if name != _DISCOVERY]
    for rule in unmatched:
        yield UnmatchedFaultWarning(
            f"the fault {_shown(rule)} matched none of the {len(requests)} requests of this test and had"
            f" no effect{_remedy(rule, commands)}. {_IF_INTENDED}"
        )
    for rule in faults.preempted():
        yield UnmatchedFaultWarning(
            f"the fault {_shown(rule)} had no effect, because earlier rules handled its requests. Its first="
            f" and every= also count those requests: if the earlier rule has first=1, use first=2."
            f" {_IF_INTENDED}"
        )


def _shown(rule: Rule) -> str:
    settings = (f"{name}={value!r}" for name, value in rule.written.items() if name != "fault")
    return f"add({', '.join([repr(rule.kind), *settings])})"


def _remedy(rule: Rule, commands: list[str]) -> str:
    """Return a suggestion if the test ran commands and the rule is for records; otherwise an empty string."""
    if not rule.operation & _BASE or not commands:
        return ""
    if "create" in rule.operation and "WoCreateCommand" in commands:
        return "; a command creates work orders: use operation='WoCreateCommand'"
    return f"; commands are separate operations: use operation={commands[0]!r}"
