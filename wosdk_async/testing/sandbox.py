"""A Company for one test: in the process, without a socket, and gone with the test."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import datetime
from types import TracebackType
from typing import Self, Unpack

import attrs

from wosdk_async.client import Bounds, Client
from wosdk_async.options import Limits
from wosdk_async.sandbox.env import variables
from wosdk_async.sandbox.http.app import create_app
from wosdk_async.sandbox.schema.dialect import SPEC, dialect_of
from wosdk_async.sandbox.schema.values import Moment
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store
from wosdk_async.testing.clock import SkippingClock
from wosdk_async.testing.engine import AsgiEngine, InProcessTransport
from wosdk_async.testing.faults import AddedFaults
from wosdk_async.testing.requests import RecordedRequest, RequestRecorder
from wosdk_async.testing.world import Rows, add_rows, copy_of, first_store
from wosdk_async.transport.session.credentials import Credentials, Region

__all__ = ["Sandbox", "Snapshot"]

_HOST = "sandbox.wosdk.test"  # a name that no resolver knows (RFC 6761)
_ROOT = f"https://{_HOST}"


@attrs.frozen
class Snapshot:
    """All rows of a Company at one moment; good for the sandbox that took it."""

    _store: Store = attrs.field(repr=False)


class Sandbox:
    """A Company of its own, with the surface of :class:`wosdk_async.sandbox.LocalCompany`.

    It starts anew in a millisecond, shares nothing with any other, and can be used in any event loop, in one
    at a time.

    Args:
        company: its name, or several: then the first is meant where none is named. "AcmeFacilities" when
            left out.
        dialect: ``spec``, or ``recorded`` to answer as the recorded release does where it differs.
        seed: rows to start with beside the usual ones, as :meth:`seed` takes them.
        now: the moment its clock shows first, with its zone; the present when left out.

    Raises:
        StoreError: a row of ``seed`` does not fit.
        ValueError: a name cannot be used, there is no such dialect, or ``now`` has no zone.

    Attributes:
        app: the ASGI application, for clients of other makes.
        clock: to be moved on at any time.
        faults: what goes wrong; nothing until some are added.
        variables: the environment variables of a client; only :meth:`client` finds the way.
    """

    def __init__(
        self,
        *,
        company: str | Sequence[str] = (),
        dialect: str = SPEC.name,
        seed: Rows | None = None,
        now: datetime | None = None,
    ) -> None:
        self._dialect = dialect_of(dialect)
        self.clock = SkippingClock(now)
        self.faults = AddedFaults()
        self._exits = contextlib.ExitStack()
        self._start = Snapshot(first_store(_names(company)))
        self._store = self._copy(self._start._store)
        self._companies = self._store.companies()
        self.faults.companies = [each.name for each in self._companies]
        self._recorder = RequestRecorder(
            create_app(self._store, self.clock, dialect=dialect, faults=self.faults)
        )
        self._line = InProcessTransport(self._recorder, _HOST, self.clock)
        self.app = self._recorder
        if seed:
            self.seed(seed)
            self._start = self.snapshot()

    def __repr__(self) -> str:
        return f"<Sandbox {self.name!r} {self.clock!r} requests={len(self._recorder.requests)}>"

    @property
    def name(self) -> str:
        """The Company's name."""
        return self._companies[0].name

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that name this Company."""
        return self.variables_of(self.name)

    def variables_of(self, company: str) -> dict[str, str]:
        """The same for one of several Companies. Raises KeyError when there is none of this name."""
        return variables(self._company(company), _ROOT) | {"WOSDK_TRUSTED_HOSTS": _HOST}

    @property
    def requests(self) -> Sequence[RecordedRequest]:
        """What was asked so far, the first one first; of very many the last 10,000."""
        return tuple(self._recorder.requests)

    def client(self, **bounds: Unpack[Bounds]) -> Client:
        """A client connected to all Companies here, with what :class:`~wosdk_async.Client` takes.

        It need not be closed: it holds no socket.
        """
        client = Client(
            region=Region("sandbox", locator_url=_ROOT, token_url=f"{_ROOT}/OAuth/token"),
            credentials=self._credentials,
            company=self.name,
            trusted_hosts=(_HOST,),
            **bounds,
        )
        client._transport = client._transport.changed(
            engine=self._engine, files=self._engine, clock=self.clock.client_clock()
        )
        return client

    def seed(self, rows: Rows, *, company: str | None = None) -> None:
        """Add rows to a Company: all of them, or none when one is refused.

        Args:
            rows: by entity type, as a create sends them, with an ``Id`` or without.

        Raises:
            StoreError: a row does not fit the catalogue; the text names it.
            KeyError: there is no Company of this name.
        """
        add_rows(
            self._store,
            self._company(company or self.name),
            rows,
            Moment.at(self.clock(), self._dialect.tick),
        )

    def snapshot(self) -> Snapshot:
        """All rows as they are now, for :meth:`reset`."""
        return Snapshot(self._copy(self._store))

    def reset(self, snapshot: Snapshot | None = None) -> None:
        """Bring the Company back to a snapshot, or to what it started with. Clients stay connected.

        Raises:
            TypeError: ``snapshot`` is none.
        """
        if snapshot is not None and not isinstance(snapshot, Snapshot):
            raise TypeError(
                f"reset takes what snapshot() gave, not {snapshot!r}; without it the start is meant."
            )
        self._store.copy_from((snapshot or self._start)._store)

    def close(self) -> None:
        """End what is under way, and forget everything."""
        self._line.close()
        for late in list(self.faults.late):
            _cancel(late)
        self._exits.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _company(self, name: str) -> StoredCompany:
        found = next((each for each in self._companies if each.name.lower() == name.lower()), None)
        if found is None:
            names = ", ".join(company.name for company in self._companies)
            raise KeyError(f"There is no Company {name!r} here, only {names}.")
        return found

    async def _credentials(self, company: str) -> Credentials:
        try:
            found = self._company(company)
        except KeyError:
            found = self._companies[0]  # the locator is asked with good credentials, and refuses the name
        return Credentials(found.client_id, found.client_secret)

    def _copy(self, store: Store) -> Store:
        return self._exits.enter_context(contextlib.closing(copy_of(store)))

    def _engine(self, limits: Limits) -> AsgiEngine:
        return AsgiEngine(self._line, limits.connections)


def _names(company: str | Sequence[str]) -> tuple[str, ...]:
    names = (company,) if isinstance(company, str) else company
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"company is {company!r}; it must be a name, or a list of names.")
    if not all(name.strip() for name in names):
        raise ValueError(f"company is {company!r}; a name is empty. Leave it out for AcmeFacilities.")
    return tuple(names)


def _cancel(future: asyncio.Future[None]) -> None:
    loop = future.get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(future.cancel)
