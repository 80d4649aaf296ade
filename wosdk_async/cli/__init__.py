"""The ``wosdk`` command.

    app.py                        the command group: loads a command when it is named
    get_command.py                wosdk get
    query_command.py              wosdk query: where.py reads conditions, reading.py and
                                  counting.py stream the rows
    run_command.py                wosdk run: command_fields.py checks, asking.py asks,
                                  doubt.py says what to look at
    describe_command.py           wosdk describe: describing.py shows rows of the catalogue
    check_command.py              wosdk check: checking.py takes the steps, causes.py says what is wrong
    import_command.py             wosdk import: display.py shows its progress, closing.py its summary
    sandbox_command.py            wosdk sandbox serve
    completion_command.py         wosdk completion: completing.py finds the names

    options.py, link.py           whom to talk to; one Company on an event loop that Ctrl-C ends
    output.py, *_form.py          tables, JSON lines, CSV; cells.py is what stands in them
    names.py, typed_text.py       names and values that people type, checked against the catalogue
    apart.py                      what is written can be, and replaces no file that is needed
    exits.py, plain.py            errors as one line and an exit status; texts without control characters

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
