"""Errors as one line on stderr and an exit status; ``docs/cli.md`` has the table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import IO, Any

import click

from wosdk_async.cli.output.sanitize import visible
from wosdk_async.errors import WosdkError
from wosdk_async.protocol.verdicts import ending_of

__all__ = ["CliError", "Exit", "one_line", "sandbox_extra", "say", "status_of", "unusable", "writing"]


class Exit(IntEnum):
    """What the status of every command means."""

    DONE = 0
    SOME = 1
    """Some rows of an import were not created, or somebody answered no."""
    UNUSABLE = 2
    """The command, a file or a setting cannot be worked with; nothing was changed."""
    REFUSED = 3
    MISSING = 4
    LOGIN = 5
    UNREACHED = 6
    """No answer, and nothing was changed: the same command can be given again."""
    IN_DOUBT = 7
    """It may have been carried out."""
    UNWRITTEN = 8
    """It was carried out, and its result could not be written."""
    INTERRUPTED = 130
    """As shells show a program that Ctrl-C ended."""
    PIPE = 141
    """As shells show a program whose reader went away."""


def status_of(error: BaseException) -> Exit:
    """Return the exit status that tells what ``error`` means."""
    return Exit(ending_of(error).exit_status)


class CliError(click.ClickException):
    """What ends a command with one line; ``exit_code`` is 2 unless another status is given."""

    def __init__(self, message: str, status: Exit = Exit.UNUSABLE) -> None:
        super().__init__(message)
        self.status = status

    @property
    def exit_code(self) -> int:  # type: ignore[override]  # click's is a class variable
        """The exit status."""
        return int(self.status)

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        say(self.message)


def say(message: str) -> None:
    """One line for people, on stderr."""
    click.echo(f"wosdk: {one_line(message)}", err=True)


def one_line(text: str) -> str:
    """``text`` without line breaks or control characters: what the service says may hold some (facts 6)."""
    return visible(text)


@contextmanager
def unusable() -> Iterator[None]:
    """Turn the errors that people can do something about into their line and status."""
    try:
        yield
    except WosdkError as error:
        raise CliError(str(error), status_of(error)) from error
    except BrokenPipeError:  # the reader of stdout went away: app.py ends quietly
        raise
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        raise CliError(f"{name}{error.strerror or error}") from error


@contextmanager
def writing(done: str, to: object = None) -> Iterator[None]:
    """Around what writes the result of something that is done: whatever fails, one line says that it is.

    ``to`` is where it goes; stdout without one.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, BrokenPipeError | click.ClickException):
            raise
        why = f"{type(error).__name__}: {error}"
        if isinstance(error, OSError):
            why = f"{error.filename or to or 'stdout'}: {error.strerror or error}"
        text = f"{done}, but the result could not be written: {why}"
        raise CliError(text, Exit.UNWRITTEN) from error


@contextmanager
def sandbox_extra() -> Iterator[None]:
    """Around the import of the sandbox: say what to install when it is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "wosdk_async").startswith("wosdk_async"):
            raise
        text = f"the sandbox needs {error.name}; run: pip install 'wosdk_async[sandbox]'"
        raise CliError(text) from error
