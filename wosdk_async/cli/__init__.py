"""The ``wosdk`` command.

    app.py            the command group: loads a command when it is named
    options.py        options that say whom to talk to
    runner.py         one Company on an event loop that Ctrl-C ends
    commands/         one file for each command
    diagnostics.py    the steps of wosdk check; remedies.py says what is wrong and what to do
    input/            conditions, fields, names and values that people type, checked against the catalogue
    output/           tables, JSON lines, CSV, progress, the report of an import
    exit_codes.py     errors as one line and an exit status

What a command needs is imported when it runs, so that ``wosdk --help`` is quick.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Run the console script, or say how to install what it needs."""
    if any(importlib.util.find_spec(name) is None for name in ("click", "rich")):
        print("wosdk: the command line is an extra; run: pip install 'wosdk_async[cli]'", file=sys.stderr)
        sys.exit(2)
    _open_what_is_closed()
    from wosdk_async.cli.app import app

    app(prog_name="wosdk")


def _open_what_is_closed() -> None:
    """Put a stream where Python has None because the caller closed it; the next socket would get its number.

    stdin is empty, to write to stdout is an error, and stderr takes all.
    """
    nowhere = Path(os.devnull)
    if sys.stdin is None:
        sys.stdin = nowhere.open(encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = nowhere.open(encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = nowhere.open("w", encoding="utf-8")
