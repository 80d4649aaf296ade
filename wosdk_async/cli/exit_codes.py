"""Exit statuses and one-line error messages; ``docs/cli.md`` has the table for users."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import IO, Any

import click

from wosdk_async.cli.texts import brief_line, message_of
from wosdk_async.errors import InDoubtError, WosdkError
from wosdk_async.protocol.verdicts import ending_of

_SLOW = 3.0  # seconds


class Exit(IntEnum):
    """Exit statuses of all commands."""

    DONE = 0
    SOME = 1
    """Some rows or changes were not done, or the user declined."""
    UNUSABLE = 2
    """Unusable command, file or setting; nothing was changed."""
    REFUSED = 3
    MISSING = 4
    LOGIN = 5
    UNREACHED = 6
    """No response and no change: safe to rerun the command."""
    IN_DOUBT = 7
    """The command was sent and may have been carried out."""
    UNWRITTEN = 8
    """The command was carried out, but the result could not be written."""
    INTERRUPTED = 130
    """Ctrl-C, as reported by shells."""
    PIPE = 141
    """Broken pipe on stdout, as shells report it."""


def status_of(error: BaseException) -> Exit:
    """Return the exit status for an error."""
    return Exit(ending_of(error).exit_status)


class CliError(click.ClickException):
    """Error that ends a command with a one-line message (default exit status: 2)."""

    def __init__(self, message: str, status: Exit = Exit.UNUSABLE) -> None:
        super().__init__(message)
        self.status = status
        self.exit_code = int(status)  # type: ignore[misc]  # click's is a class variable

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        """Print the message."""
        say(self.message)


def say(message: str) -> None:
    """Print one line on stderr. Escape unsafe characters, and truncate long text (facts 6)."""
    click.echo(f"wosdk: {brief_line(message)}", err=True)


def is_verbose() -> bool:
    """Return whether the current command shows its requests."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().ensure_object(dict).get("verbose"))


@contextmanager
def reporting_if_slow(message: str) -> Iterator[None]:
    """Print a message on stderr if the block takes more than a few seconds."""
    timer = threading.Timer(_SLOW, say, [message])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def cli_errors() -> Iterator[None]:
    """Turn errors that users can act on into CliError."""
    try:
        yield
    except WosdkError as error:
        raise CliError(message_of(error), status_of(error)) from error
    except BrokenPipeError:  # the reader closed the pipe; app.py exits quietly
        raise
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.filename is None:  # as os.getcwd() raises it
            raise CliError("the working directory was deleted; change to another directory") from error
        name = f"{error.filename}: " if error.filename else ""
        raise CliError(f"{name}{error.strerror or error}") from error


@contextmanager
def writing(done: str, to: object = None, status: Exit = Exit.UNWRITTEN) -> Iterator[None]:
    """Turn errors while writing to ``to`` (None: stdout) into a CliError that begins with ``done``."""
    try:
        yield
    except Exception as error:
        if isinstance(error, BrokenPipeError | click.ClickException):
            raise
        why = f"{type(error).__name__}: {error}"
        if isinstance(error, OSError):
            why = f"{error.filename or to or 'stdout'}: {error.strerror or error}"
        text = f"{done}, but the result could not be written: {why}"
        raise CliError(text, status) from error


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """If a package is missing, raise a CliError that says which extra to install for ``what``."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "wosdk_async").partition(".")[0]
        if package == "wosdk_async":
            raise
        raise CliError(f"{what} needs {package}; run: pip install 'wosdk_async[cli,{name}]'") from error


def advice(look: str | None) -> str:
    """Return advice for a call in doubt. ``look`` is the command that shows the call's effect, if any."""
    text = "Check whether it took effect before you run it again"
    return f"{text}: {look}" if look else text


def say_sent(what: str, request_id: str | None, look: str | None) -> None:
    """Report a sent request that Ctrl-C interrupted before the response arrived."""
    id_text = f" (RequestId {request_id})" if request_id else ""
    wait = f"wait {InDoubtError.settle:g} s"
    say(f"{what} was sent{id_text} and may have been carried out; {wait}. {advice(look)}")
