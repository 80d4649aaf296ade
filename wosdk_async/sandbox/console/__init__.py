"""The console: what the sandbox keeps and was sent, for a browser on the same machine.

    request_log.py   the last exchanges, bounded     recorder.py   middleware that fills it
    masking.py       secrets out of what is shown    guard.py      who may ask: this machine, its own page
    orders.py        Companies and work orders       switches.py   rules of the fault script, on and off
    routes.py        JSON below ``/console/api/``    pages.py      the files of ``static/``

The page is one HTML file with its style sheet and ES modules: nothing is built, and nothing comes from a
network.
"""

from __future__ import annotations

from wosdk_async.sandbox.console.recorder import Recorder
from wosdk_async.sandbox.console.request_log import RequestLog
from wosdk_async.sandbox.console.routes import console_routes

__all__ = ["Recorder", "RequestLog", "console_routes"]
