"""A local, non-live Company that behaves like the service: a real HTTP server over a SQLite file.

    app.py        HTTP in and out                  tokens.py, oauth.py   who may ask
    office.py     which operation is asked for     commands/             one small function each
    base.py       create, retrieve, update, delete (write.py, update.py, rules.py)
    query.py      conditions.py, operators.py: criteria as SQL; selection.py: what a row shows
    files.py      files of documents, and their addresses
    store.py      schema.py: the file; seed.json: what a new one holds
    faults.py     what goes wrong on command; clock.py: the one clock

It answers by `wosdk_async.catalogue` and by nothing else of this package: a mistake of the client
shows here instead of agreeing with itself.
"""

from __future__ import annotations

from .app import create_app
from .clock import Clock, VirtualClock
from .errors import FaultScriptError, StoreError
from .faults import Faults
from .seed import open_store
from .server import LocalCompany, serve

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
