"""Command-line arguments for benchmarks, tests.chaos and tests.simulation; invalid ones exit with 2."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

BENCH = ("aiohttp", "pydantic", "pyreqwest", "uvloop")
"""Packages of the extra ``bench`` that the package itself does not need."""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help that keeps the docstring's line breaks and shows defaults."""

    def _get_help_string(self, action: argparse.Action) -> str:
        default, text = action.default, action.help or ""
        if default is None or default is False or default in ("", argparse.SUPPRESS):
            return text
        shown = " ".join(map(str, default)) if isinstance(default, list | tuple) else str(default)
        return f"{text} (default: {shown.replace('%', '%%')})"


def parser(name: str, doc: str | None) -> argparse.ArgumentParser:
    """Return a command's parser, whose help is the module docstring."""
    return argparse.ArgumentParser(prog=f"python -m {name}", description=doc, formatter_class=_Help)


def add_json(command: argparse.ArgumentParser, what: str = "the figures") -> None:
    command.add_argument("--json", type=output, metavar="OUT.json", help=f"where to write {what}")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown, with numbers in all columns but the first."""
    lines = [head, ("---", *["---:"] * (len(head) - 1)), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def count(text: str) -> int:
    """Parse a number of rounds, calls or the like: the ``type=`` of an argument."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def output(text: str) -> Path:
    """Parse the path of an output file: the ``type=`` of an argument.

    The file is opened at once, because a measurement takes minutes, and removed again if it did not exist.
    """
    try:
        is_new = not os.path.lexists(text)
        open(text, "ab").close()
        if is_new:
            os.unlink(text)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written: {error.strerror}") from None
    return Path(text)


def require(command: argparse.ArgumentParser, *modules: str, extra: str = "bench") -> None:
    """Exit if a package is not installed, before anything is measured."""
    if missing := [name for name in modules if find_spec(name) is None]:
        command.error(f"{', '.join(missing)} not installed: pip install -e '.[{extra}]'")
