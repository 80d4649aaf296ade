"""Errors as one line on stderr and an exit status: 0 all done, 1 some not, 2 unusable."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from wosdk_async.errors import WosdkError

__all__ = ["Unusable", "one_line", "sandbox_extra", "say", "unusable"]


class Unusable(click.ClickException):
    """The command or a file cannot be worked with; nothing was created."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        say(self.message)


def say(message: str) -> None:
    """One line for people, on stderr."""
    click.echo(f"wosdk: {one_line(message)}", err=True)


def one_line(text: str) -> str:
    """``text`` without line breaks: what the service says may hold some (facts 6)."""
    return " ".join(text.split())


@contextmanager
def unusable() -> Iterator[None]:
    """Turn the errors that people can do something about into their line."""
    try:
        yield
    except WosdkError as error:
        raise Unusable(str(error)) from error
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        raise Unusable(f"{name}{error.strerror or error}") from error


@contextmanager
def sandbox_extra() -> Iterator[None]:
    """Around the import of the sandbox: say what to install when it is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "wosdk_async").startswith("wosdk_async"):
            raise
        text = f"the sandbox needs {error.name}; run: pip install 'wosdk_async[sandbox]'"
        raise Unusable(text) from error
