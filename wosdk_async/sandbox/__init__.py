"""Local stand-in for the service: an HTTP server over a SQLite file.

The package imports only the catalogue and ``regular_files``, because code shared with the client would hide
the client's bugs. ``wosdk_async.testing`` and the command line import this package.
"""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wosdk_async.regular_files import create_file

try:
    from wosdk_async.sandbox.certificate import read_certificate
    from wosdk_async.sandbox.clock import Clock, VirtualClock
    from wosdk_async.sandbox.console.request_log import RequestLog
    from wosdk_async.sandbox.env import Env, env_of
    from wosdk_async.sandbox.errors import FaultScriptError, StoreError
    from wosdk_async.sandbox.faults.state import Faults
    from wosdk_async.sandbox.http.app import create_app
    from wosdk_async.sandbox.http.recorder import RecordedRequests, RequestRecorder
    from wosdk_async.sandbox.schema.dialect import SPEC, Dialect, dialect_of
    from wosdk_async.sandbox.schema.values import Moment
    from wosdk_async.sandbox.seed.initial import open_store, reset
    from wosdk_async.sandbox.seed.rows import load_rows, seed_rows
    from wosdk_async.sandbox.server import (
        RunInThread,
        listening,
        opened_store,
        ports_of,
        running,
        serve,
        web_root,
    )
    from wosdk_async.sandbox.storage.companies import StoredCompany
    from wosdk_async.sandbox.storage.database import empty_store
    from wosdk_async.sandbox.storage.store import Store
except ModuleNotFoundError as missing:
    package = (missing.name or "").partition(".")[0]
    if package not in ("starlette", "uvicorn"):
        raise
    remedy = f"the sandbox needs the package {package}: pip install 'wosdk_async[sandbox]'"
    raise ModuleNotFoundError(remedy, name=missing.name) from missing

__all__ = [
    "Clock",
    "FaultScriptError",
    "Faults",
    "LocalCompany",
    "StoreError",
    "VirtualClock",
    "create_app",
    "open_store",
    "serve",
]


class CompaniesOfTests:
    """Base of in-process sandboxes: environment variables, requests and rows of their Companies."""

    clock: Clock
    _dialect: Dialect
    _first: StoredCompany
    _recorder: RequestRecorder
    _root: str
    _store: Store

    @property
    def variables(self) -> Env:
        """Environment variables that connect a client to the first Company."""
        return env_of(self._company(None), self._root)

    def variables_of(self, company: str) -> Env:
        """Return the environment variables that connect a client to the named Company.

        Raises:
            KeyError: the Company is unknown.
        """
        return env_of(self._company(company), self._root)

    @property
    def requests(self) -> RecordedRequests:
        """The requests so far, oldest first."""
        self._require_open()
        return self._recorder.requests

    def clear_requests(self) -> None:
        """Forget the requests so far."""
        self._require_open()
        self._recorder.clear()

    def seed(self, rows: Mapping[str, Sequence[Mapping[str, Any]]], *, company: str | None = None) -> None:
        """Add rows to a Company; if one is invalid, add none.

        Args:
            rows: rows by entity type, as for a create, with or without an ``Id``.
            company: Company name (default: the first).

        Raises:
            StoreError: a row is invalid; the message names the row.
            KeyError: the Company is unknown.
        """
        owner = self._company(company)
        checked = seed_rows(rows)
        now = Moment.at(self.clock(), self._dialect.tick)
        self._run(lambda: load_rows(self._store, owner, checked, now))

    def _company(self, name: str | None) -> StoredCompany:
        self._require_open()
        name = name or self._first.name
        companies: Sequence[StoredCompany] = self._run(self._store.companies)
        found = next((company for company in companies if company.name.lower() == name.lower()), None)
        if found is None:
            names = ", ".join(company.name for company in companies)
            raise KeyError(f"There is no Company {name!r} here; use {names}.")
        return found

    def _require_open(self) -> None:
        """Raise RuntimeError if the sandbox must be open and is not."""

    def _run(self, work: Callable[[], Any]) -> Any:
        """Run ``work`` in the thread that may use the store, and return the result."""
        return work()


class LocalCompany(CompaniesOfTests):
    """Sandbox that runs in a thread of this process during a ``with`` block.

    Args:
        store: SQLite file; None uses a temporary file.
        companies: ASCII Company names, created if missing. The first is the default for methods that take a
            name.
        empty: whether to create Companies without initial records.
        verification: whether the Companies have the verification step (default: on for new Companies;
            existing ones keep their setting).
        dialect: see `create_app`.
        faults: fault script as a TOML file or equivalent plain data (default: no faults).
        clock: ``VirtualClock()`` for tests (default: system time).
        log: whether to record requests for the console; the console can switch this on and off.
        certificate: PEM file with a key and certificate, to serve https.

    Attributes:
        faults: fault script and counters; may be changed at any time.
        clock: test or system clock; may be moved forward at any time.

    Raises:
        FaultScriptError: the fault script is invalid or (on entering) names an unknown Company.
        StoreError: the file is unusable (on entering).
        RuntimeError: a method, ``variables`` or ``requests`` was used outside the block.
        ValueError: the dialect, ``companies``, ``clock``, ``certificate`` or (on entering) a Company name is
            invalid.
    """

    def __init__(
        self,
        store: str | Path | None = None,
        *,
        companies: Sequence[str] = (),
        empty: bool = False,
        verification: bool | None = None,
        dialect: str = SPEC.name,
        faults: Faults | Mapping[str, Any] | str | Path | None = None,
        clock: Clock | None = None,
        log: bool = False,
        certificate: str | Path | None = None,
    ) -> None:
        self._path = store
        if isinstance(companies, str):
            raise ValueError(f"companies is {companies!r}; it must be a list of names: [{companies!r}].")
        if clock is not None and not isinstance(clock, Clock):
            raise ValueError(f"clock is {clock!r}; it must be a VirtualClock(start).")
        self._names, self._empty, self._verification = tuple(companies), empty, verification
        self._dialect = dialect_of(dialect)
        self.faults = faults if isinstance(faults, Faults) else Faults(faults)
        self.clock = clock or Clock()
        self._log = RequestLog(log)
        self._certificate = None if certificate is None else read_certificate(Path(certificate))
        self._exits = contextlib.ExitStack()
        self._open = False

    def snapshot(self, to: str | Path | None = None) -> Path:
        """Save the current rows of all Companies for `reset`, and return the file.

        Args:
            to: the file; None uses a temporary file, removed at the end of the block.

        Raises:
            StoreError: the file is not writable, or exists and is not a store.
        """
        self._require_open()
        target = Path(to) if to is not None else self._folder / f"{next(self._serial)}.snapshot"
        self._run(lambda: self._store.take_snapshot(target))
        return target

    def reset(self, snapshot: str | Path | None = None) -> None:
        """Restore all Companies from a snapshot, or to their initial rows.

        Clients stay connected: credentials and tokens remain valid. If ids change, use a new client, because
        a client caches ids by name.

        Raises:
            StoreError: the file is not a snapshot.
        """
        self._require_open()
        self._run(lambda: reset(self._store, snapshot))

    def __enter__(self) -> LocalCompany:
        with contextlib.ExitStack() as exits:
            self._folder = Path(exits.enter_context(tempfile.TemporaryDirectory()))
            self._serial = itertools.count(1)
            listeners = [exits.enter_context(listening("127.0.0.1", 0)) for _ in range(2)]
            path = self._path
            if path is None:
                path = self._folder / "sandbox.db"
                with create_file(path) as file:
                    file.write(empty_store())
            self._store, self._first = exits.enter_context(
                opened_store(path, self._names, self._verification, self.faults, empty=self._empty)
            )
            self._root = web_root(listeners[0], self._certificate)
            app = create_app(
                self._store,
                self.clock,
                dialect=self._dialect.name,
                faults=self.faults,
                ports=ports_of(listeners),
                log=self._log,
            )
            self._recorder = RequestRecorder(app)
            self._run_in_thread: RunInThread = exits.enter_context(
                running(self._recorder, listeners, self._certificate)
            )
            self._exits = exits.pop_all()
            self._open = True
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        self._open = False
        self._exits.close()

    def __repr__(self) -> str:
        return f"LocalCompany({str(self._path) if self._path else None!r})"

    def _require_open(self) -> None:
        if not self._open:
            raise RuntimeError("A LocalCompany only runs inside its block: with LocalCompany() as local: ...")

    def _run(self, work: Callable[[], Any]) -> Any:
        return self._run_in_thread(work)
