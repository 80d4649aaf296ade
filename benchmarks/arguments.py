"""Arguments of the commands ``python -m benchmarks.NAME``. A mistake is one line, and the exit status 2."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

__all__ = ["BENCH", "count", "parser", "require"]

BENCH = ("aiohttp", "pydantic", "pyreqwest", "uvloop")
"""Packages of the extra ``bench`` that the package itself does not need."""


def parser(name: str, doc: str | None) -> argparse.ArgumentParser:
    """Return the parser of a command, whose help is the docstring of its module."""
    raw = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(prog=f"python -m {name}", description=doc, formatter_class=raw)


def count(text: str) -> int:
    """Return a number of rounds, calls or the like: the ``type=`` of an argument."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def require(command: argparse.ArgumentParser, *modules: str, extra: str = "bench") -> None:
    """End the command if a package is not installed, before anything is measured."""
    if missing := [name for name in modules if find_spec(name) is None]:
        command.error(f"{', '.join(missing)} not installed: pip install -e '.[{extra}]'")
