"""Plans on disk.

Several servers can share the SQLite file. A plan's lock is freed when the server holding it ends. A plan is
marked ``sending`` on disk before its first byte is sent; a ``sending`` plan with a free lock is in doubt.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from math import isfinite
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal.lock import FolderLock
from wosdk_async.protocol.writes import State
from wosdk_async.regular_files import connect_database, create_file
from wosdk_async.settings.profiles import PRIVATE, access_of_others
from wosdk_async.text.remedies import Remedy

EXPIRES = 600.0  # seconds

_FILE, _LOCKS = "plans.db", "locks"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS plan (
    id TEXT PRIMARY KEY, target TEXT NOT NULL, action TEXT NOT NULL, name TEXT NOT NULL, record INTEGER,
    fields TEXT NOT NULL, marker TEXT, version INTEGER, made REAL NOT NULL, expires REAL NOT NULL,
    state TEXT NOT NULL, attempt INTEGER NOT NULL, outcome TEXT
) STRICT
"""
_BUSY = 5.0  # seconds to wait for another writer
_STATES = {state.word: state for state in State if state is not State.FOUND}


class PlanBusyError(Exception):
    """Plan that another server or call is committing."""


class PlansUnusableError(ConfigurationError):
    """Plans that cannot be read or written: the disk is full, the file damaged or the folder missing.

    The message goes to agents, so it contains no path.
    """

    kind = "plans"


@attrs.frozen(kw_only=True)
class Plan:
    """A planned change."""

    id: str
    target: str
    """The Company's name, and a digest of its region's addresses."""
    action: str
    name: str
    record: int | None
    """Id of the record to update."""
    fields: dict[str, Any] = attrs.field(repr=False)
    """Fields by service name, including the marker."""
    marker: str | None
    """Python path of the field that holds the plan's id; None if the plan has no marker."""
    version: int | None = None
    """Version of the record to update, at the time of planning."""
    made: float
    expires: float
    state: State = State.PLANNED
    attempt: int = 0
    outcome: dict[str, Any] | None = attrs.field(default=None, repr=False)


def state_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the default plan folder, following XDG rules."""
    base = environ.get("XDG_STATE_HOME", "")
    root = Path(base) if os.path.isabs(base) else Path.home() / ".local" / "state"
    return root / "wosdk" / "mcp"


class PlanJournal:
    """Plans in an owner-only folder, which is created if missing.

    ``now`` returns seconds since 1970. It decides when plans expire, so servers that share a folder need
    synchronized clocks. Raises ConfigurationError if the folder or file is unusable, or readable by others.
    """

    def __init__(self, folder: Path, now: Callable[[], float]) -> None:
        self.folder = folder
        self.now = now
        try:
            _private_folder(folder, parents=True)
            with suppress(FileExistsError):
                create_file(folder / _FILE, 0o600).close()
            _require_private(folder / _FILE, "file")
            _private_folder(folder / _LOCKS)
            with self._open() as journal:
                journal.execute(_SCHEMA)
        except (OSError, PlansUnusableError) as error:
            raise ConfigurationError(
                f"plans cannot be stored in {folder} ({error})", remedies=(Remedy.STATE_FOLDER,)
            ) from error

    def add(self, plan: Plan) -> None:
        """Store a new plan."""
        row = attrs.asdict(plan)
        row |= {"fields": json.dumps(plan.fields), "state": plan.state.word, "outcome": None}
        names = ", ".join(row)
        marks = ", ".join(f":{name}" for name in row)
        with self._open() as journal:
            journal.execute(f"INSERT INTO plan ({names}) VALUES ({marks})", row)  # noqa: S608 - our names

    def get(self, id: str) -> Plan | None:
        """Return the plan with this id; None if there is none.

        Raises PlansUnusableError if the plan cannot be read.
        """
        with self._open() as journal:
            row = journal.execute("SELECT * FROM plan WHERE id = ?", (id,)).fetchone()
        if row is None:
            return None
        values = dict(row)
        try:
            values["fields"] = json.loads(values["fields"])
            values["outcome"] = values["outcome"] and json.loads(values["outcome"])
            if not isfinite(values["made"] + values["expires"]):
                raise ValueError("a time is not finite")
            return Plan(**values | {"state": _STATES[values["state"]]})
        except (ValueError, KeyError) as error:
            raise PlansUnusableError(f"the plan {id:.60} is damaged") from error

    def begin(self, id: str) -> None:
        """Record that a plan is being sent. The caller holds the plan's lock.

        Raises PlanBusyError if the plan is no longer ``planned``, which happens only if a lock has failed.
        """
        if not self._write(id, State.SENDING, only=State.PLANNED):
            raise PlanBusyError(id)

    def end(self, id: str, state: State, outcome: dict[str, Any] | None = None) -> None:
        """Record the end of an attempt: done, refused, or in doubt."""
        self._write(id, state, outcome=None if outcome is None else json.dumps(outcome))

    def expire(self, id: str) -> None:
        """Record that a plan has expired, so that it stays expired even if the clock is set back."""
        self._write(id, State.PLANNED, only=State.PLANNED, expires=0.0)

    def plan_again(self, id: str) -> None:
        """Record that a plan was certainly not carried out and can be committed."""
        self._write(id, State.PLANNED, expires=self.now() + EXPIRES)

    @contextmanager
    def lock(self, id: str) -> Iterator[None]:
        """Hold a plan's lock. Raises PlanBusyError if another server or call holds it."""
        folder = self.folder / _LOCKS / id
        try:
            _private_folder(folder)
            held = FolderLock(folder)
        except OSError as error:
            raise PlansUnusableError(f"a plan cannot be locked ({error.strerror})") from error
        except ConfigurationError as error:
            raise PlansUnusableError(
                "a plan cannot be locked (other users can write to its folder)"
            ) from error
        except JournalError as error:
            if isinstance(error.__cause__, OSError):
                raise PlansUnusableError(f"a plan cannot be locked ({error.__cause__.strerror})") from error
            raise PlanBusyError(id) from error
        try:
            yield
        finally:
            held.release()

    def _write(self, id: str, state: State, only: State | None = None, **values: Any) -> bool:
        """Write to a plan if its state is ``only`` (None: any state). Return whether it was written."""
        changes = ", ".join(f"{name} = :{name}" for name in ("state", *values))
        named = values | {"id": id, "state": state.word, "only": None if only is None else only.word}
        with self._open() as journal:
            done = journal.execute(
                f"UPDATE plan SET {changes}, attempt = attempt + (:state = 'sending')"  # noqa: S608 - our names
                " WHERE id = :id AND state = ifnull(:only, state)",
                named,
            )
        return done.rowcount == 1

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one durable transaction. Raises PlansUnusableError.

        A missing file is not recreated, because others might be able to read the new file.
        """
        try:
            with closing(connect_database(self.folder / _FILE, timeout=_BUSY)) as connection:
                connection.row_factory = sqlite3.Row
                connection.execute("PRAGMA synchronous = FULL")
                with connection:
                    yield connection
        except (OSError, sqlite3.Error, OverflowError) as error:
            # Not str(error): for an OSError it contains the path, which agents must not get.
            why = getattr(error, "strerror", None) or error
            raise PlansUnusableError(f"the plans cannot be read or written ({why})") from error


def _private_folder(path: Path, *, parents: bool = False) -> None:
    """Create an owner-only folder; raise ConfigurationError if an existing one is not owner-only."""
    path.mkdir(mode=0o700, parents=parents, exist_ok=True)
    _require_private(path, "folder")


def _require_private(path: Path, kind: str) -> None:
    found = os.lstat(path)
    if not (stat.S_ISDIR if kind == "folder" else stat.S_ISREG)(found.st_mode):
        what = "a link" if stat.S_ISLNK(found.st_mode) else f"not a {kind}"
        raise ConfigurationError(f"{path} is {what}; remove it", remedies=(Remedy.STATE_FOLDER,))
    if why := access_of_others(path, found, PRIVATE, folders=False):
        raise ConfigurationError(why, remedies=(Remedy.STATE_FOLDER,))
