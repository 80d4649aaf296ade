"""Local stand-in for the service: an HTTP server over a SQLite file.

The package imports the catalogue, ``regular_files`` and ``text/``, but never the client, because code shared
with the client would hide the client's bugs. ``wosdk_async.testing`` and the command line import this
package.
"""

from __future__ import annotations

try:
    from wosdk_async.sandbox.clock import Clock, VirtualClock
    from wosdk_async.sandbox.errors import FaultScriptError, StoreError
    from wosdk_async.sandbox.faults.state import Faults
    from wosdk_async.sandbox.http.app import create_app
    from wosdk_async.sandbox.local import LocalCompany
    from wosdk_async.sandbox.seed.initial import open_store
    from wosdk_async.sandbox.server import serve
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
