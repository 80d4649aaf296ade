"""A local, non-live Company that behaves like the service: a real HTTP server over a SQLite file.

    http/       requests in, responses out: routes, tokens, admin addresses, OpenAPI
    service/    what the service does: base calls, queries, commands, rules, dialects
    storage/    rows of several Companies in one SQLite file, group commit, snapshots
    seed/       what a Company starts with, and rows of your own
    faults/     what goes wrong on command
    console/    pages for a browser
    server.py   a real socket; local.py: in a thread of a test; clock.py: the one clock

It answers by `wosdk_async.catalogue` and by nothing else of this package: a mistake of the client
shows here instead of agreeing with itself.
"""

from __future__ import annotations

from wosdk_async.sandbox.clock import Clock, VirtualClock
from wosdk_async.sandbox.errors import FaultScriptError, StoreError
from wosdk_async.sandbox.faults.rules import Faults
from wosdk_async.sandbox.http.app import create_app
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
