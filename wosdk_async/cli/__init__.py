"""The ``wosdk`` command.

    app.py            the command group, which imports a command when it is named
    options.py        options that commands share
    runner.py         one Company on an event loop that Ctrl-C ends; the question before a change
    interruption.py   signals that end a command as Ctrl-C does
    diagnostics.py    the steps of ``wosdk check``
    exit_codes.py     errors as one line and an exit status
    commands/         one file for each command
    input/            conditions, fields and values that people type
    output/           tables, JSON lines, CSV, progress, the report of an import

A command imports what it needs when it runs, so that ``wosdk --help`` is quick.
"""

from __future__ import annotations

import importlib.util
import io
import os
import sys
from pathlib import Path

from wosdk_async.regular_files import open_user_path

__all__ = ["main"]


def main() -> None:
    """Run the console script, or say how to install the extra it needs."""
    if any(importlib.util.find_spec(name) is None for name in ("click", "rich")):
        print("wosdk: the command line is an extra; run: pip install 'wosdk_async[cli]'", file=sys.stderr)
        sys.exit(2)
    _open_closed_streams()
    from wosdk_async.cli.interruption import INTERRUPTION

    INTERRUPTION.handle()
    try:
        _run_app()
    except SystemExit as ending:
        INTERRUPTION.exit_at_once(ending.code)
        raise


def _run_app() -> None:
    from wosdk_async.cli.interruption import INTERRUPTION

    try:
        from wosdk_async.cli.app import app

        app(prog_name="wosdk")
    except KeyboardInterrupt:  # while modules load; commands that run end by themselves
        sys.exit(INTERRUPTION.status)


def _open_closed_streams() -> None:
    """Open a stream where Python has None because the caller closed it.

    Otherwise a socket would get its file number. stdin is empty, writing to stdout fails, stderr is lost.
    """
    nowhere = Path(os.devnull)
    if sys.stdin is None:
        sys.stdin = nowhere.open(encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = nowhere.open(encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(open_user_path(nowhere), encoding="utf-8")
