"""The ``wosdk`` command.

    app.py            the command group, which imports a command on use
    options.py        options and arguments that commands share
    texts.py          texts for people; remedies of the library as commands and options
    exit_codes.py     errors as one line and an exit status
    runner.py         one Company on an event loop that Ctrl-C ends; confirmation of a change
    signals.py        SIGTERM and SIGHUP as Ctrl-C; the stop of a running import
    record_changes.py changes shown, confirmed, made and reported; order_changes.py for work orders
    import_*.py       options, arguments, run and check of an import; job_*.py for its jobs
    commands/         one file for each command, or for commands of one kind
    input/            conditions, fields and values of the command line
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
    """Run the console script, or print how to install its extra."""
    if any(importlib.util.find_spec(name) is None for name in ("click", "rich")):
        print("wosdk: the command line is an extra; run: pip install 'wosdk_async[cli]'", file=sys.stderr)
        sys.exit(2)
    _open_closed_streams()
    from wosdk_async.cli.signals import INTERRUPTION

    INTERRUPTION.handle()
    try:
        _run_app()
    except SystemExit as ending:
        INTERRUPTION.exit_at_once(ending.code)
        raise


def _run_app() -> None:
    from wosdk_async.cli.signals import INTERRUPTION

    try:
        from wosdk_async.cli.app import app

        app(prog_name="wosdk")
    except KeyboardInterrupt:  # while modules load; commands handle their own
        sys.exit(INTERRUPTION.status)


def _open_closed_streams() -> None:
    """Replace standard streams that the caller closed: otherwise a socket would get their file number.

    stdin is empty, writing to stdout fails, stderr is lost.
    """
    nowhere = Path(os.devnull)
    if sys.stdin is None:
        sys.stdin = nowhere.open(encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = nowhere.open(encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(open_user_path(nowhere), encoding="utf-8")
