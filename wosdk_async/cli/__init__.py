"""The ``wosdk`` command.

    app.py               the command group
    import_command.py    wosdk import: display.py shows its progress, closing.py its summary
    sandbox_command.py   wosdk sandbox serve
    exits.py             errors as one line and an exit status

What a command needs is imported when it runs, so that ``wosdk --help`` is quick.
"""

from __future__ import annotations

import importlib.util
import sys

__all__ = ["main"]


def main() -> None:
    """Run the console script, or say how to install what it needs."""
    if any(importlib.util.find_spec(name) is None for name in ("click", "rich")):
        print("wosdk: the command line is an extra; run: pip install 'wosdk_async[cli]'", file=sys.stderr)
        sys.exit(2)
    from wosdk_async.cli.app import app

    app(prog_name="wosdk")
