"""A local, non-live Company that behaves like the service: a real HTTP server over a SQLite file.

    app.py        HTTP in and out                  tokens.py, oauth.py   who may ask
    dialect.py    where a release differs from the specification, one switch for each place
    office.py     which operation is asked for     commands/             one small function each
    base.py       create, retrieve, update, delete (write.py, update.py, rules.py)
    query.py      conditions.py, operators.py: criteria as SQL; selection.py: what a row shows
    created.py    how a creation answers
    discovery.py  where a Company is served
    files.py      files of documents, and their addresses
    store.py      rows of several Companies in one SQLite file (companies.py, counters.py)
    commits.py    group commit: an answer leaves once its writes are kept
    database.py   schema.py, indexes.py: the file, its tables, what is indexed
    seed.py       seed.json: what a Company starts with; seed_rows.py, seed_files.py: rows of your own
    snapshots.py  copies of the store and the ways back
    server.py     a real socket; local.py: in a thread of a test; admin.py: addresses that steer it
    faults.py     what goes wrong on command; clock.py: the one clock

It answers by `wosdk_async.catalogue` and by nothing else of this package: a mistake of the client
shows here instead of agreeing with itself.
"""

from __future__ import annotations

from wosdk_async.sandbox.clock import Clock, VirtualClock
from wosdk_async.sandbox.faults.rules import Faults
from wosdk_async.sandbox.http.app import create_app
from wosdk_async.sandbox.http.errors import FaultScriptError, StoreError
from wosdk_async.sandbox.local import LocalCompany
from wosdk_async.sandbox.seed.seed import open_store
from wosdk_async.sandbox.server import serve

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
