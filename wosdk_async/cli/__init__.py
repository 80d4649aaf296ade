"""The ``wosdk`` command.

Each command imports its dependencies when it runs, to keep ``wosdk --help`` fast.
"""

from __future__ import annotations

import importlib.util
import io
import os
import sys
from pathlib import Path

from wosdk_async.regular_files import open_user_path


def main() -> None:
    """Run the console script, or print how to install the ``cli`` extra."""
    if any(importlib.util.find_spec(name) is None for name in ("click", "rich")):
        extras = "cli,sandbox" if sys.argv[1:2] == ["sandbox"] else "cli"
        remedy = f"run: pip install 'wosdk_async[{extras}]'"
        print(f"wosdk: the command line is an extra; {remedy}", file=sys.stderr)
        sys.exit(2)
    _open_closed_streams()
    from wosdk_async.cli.signals import INTERRUPTION

    INTERRUPTION.handle()
    try:
        try:
            from wosdk_async.cli.app import app

            app(prog_name="wosdk")
        except KeyboardInterrupt:  # while modules are imported; commands have their own handler
            sys.exit(INTERRUPTION.status)
    except SystemExit as ending:
        INTERRUPTION.let_interrupt_exit(ending.code)
        raise


def _open_closed_streams() -> None:
    """Reopen standard streams that the caller closed, so that no socket gets their file descriptors."""
    nowhere = Path(os.devnull)
    if sys.stdin is None:
        sys.stdin = nowhere.open(encoding="utf-8")
    if sys.stdout is None:
        # Opened for reading only, so that require_stdout() reports that stdout is closed.
        sys.stdout = nowhere.open(encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(open_user_path(nowhere), encoding="utf-8")
