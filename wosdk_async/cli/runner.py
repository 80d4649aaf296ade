"""One Company on an event loop of its own, which Ctrl-C ends within a second."""

from __future__ import annotations

import asyncio
import functools
import os
import sys
import threading
from collections.abc import Coroutine, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from wosdk_async.cli.exit_codes import CliError, Exit, say
from wosdk_async.cli.interruption import INTERRUPTION, without_cancelled_calls
from wosdk_async.cli.options import Target
from wosdk_async.cli.slow_login import login_wait_of, saying_slow_login
from wosdk_async.errors import ConfigurationError, WosdkError
from wosdk_async.transport.session.hosts import is_local

if TYPE_CHECKING:
    from wosdk_async import Company

__all__ = ["Runner", "confirm", "is_interactive"]

T = TypeVar("T")

_MISSING = ("no Company is named", "no credentials")  # errors of a Client whose settings lack one
_EXIT_DELAY = 0.7  # seconds that closing gets after Ctrl-C


class Runner:
    """``with Runner(target) as runner: runner.run(runner.company.get(...))``.

    Between two calls of :meth:`run` no event loop runs, so that Ctrl-C ends a question to the user.

    Args:
        target: the global options of the command.
        variables: the variables that name the Company, instead of the environment.
        more: further arguments of the client.
    """

    def __init__(self, target: Target, variables: Mapping[str, str] | None = None, **more: Any) -> None:
        self._open = functools.partial(target.client, variables, **more)
        self._name = target.company if variables is None else None
        self._reads_profile = variables is None and target.profile is None
        self._runner = asyncio.Runner()
        self._quiet = without_cancelled_calls()

    def __enter__(self) -> Self:
        try:
            self._client = self._open()
            self.company = self._client.company(self._name)
        except ConfigurationError as error:
            if not self._reads_profile or not error.message.startswith(_MISSING):
                raise
            what, _, _ = error.message.partition(";")
            raise ConfigurationError(f"{what}: {_ways_to_name_a_company()}") from error
        self._runner.__enter__()
        self._quiet.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._runner.run(self._client.aclose())
        finally:
            self._runner.__exit__(kind, error, trace)
            self._quiet.__exit__(None, None, None)

    def run(self, call: Coroutine[Any, Any, T], *, exit_soon: bool = True) -> T:
        """Return the result of ``call``.

        Args:
            call: the coroutine to run.
            exit_soon: end the process soon after Ctrl-C, whatever hangs then.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed, and ``call`` has ended.
        """
        watched = self._watched(call)
        return self._runner.run(_exiting_soon(watched) if exit_soon else watched)

    async def _watched(self, call: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``call``, and say on stderr when its session takes long."""
        async with saying_slow_login(lambda: login_wait_of(self._client)):
            try:
                return await call
            except WosdkError as error:  # of a command, about a record
                from wosdk_async.company import secrets_of

                error.hide(secrets_of(self.company))
                raise


async def _exiting_soon(call: Coroutine[Any, Any, T]) -> T:
    try:
        return await call
    except asyncio.CancelledError:
        # A thread that asks a dead name server cannot be interrupted.
        timer = threading.Timer(_EXIT_DELAY, os._exit, [INTERRUPTION.status])
        timer.daemon = True
        timer.start()
        raise


def _ways_to_name_a_company() -> str:
    """Return what a person can do who has not said which Company is meant, or not all of it."""
    from wosdk_async.settings.environment import ignored_profile

    if found := ignored_profile(os.environ):
        named = " and ".join(found)
        is_set = "are" if len(found) > 1 else "is"
        return (
            f"{named} {is_set} set, so the profile 'default' is not read: unset {named}, or add"
            " --profile default"
        )
    return "`wosdk login` asks for all and keeps it; --company NAME names one for this command"


def confirm(company: Company, what: str, question: str, *, ask: bool) -> None:
    """Show what is sent to which Company, and ask unless its host is a loopback address."""
    say(f"{what} for Company {company.name!r} at {company.host} (release {company.version})")
    if not ask or is_local(company.host or ""):
        return
    if not is_interactive():
        raise CliError("stdin is not a terminal, so you cannot be asked; add --yes to go on all the same")
    if not click.confirm(question, err=True):
        raise CliError("nothing was sent", Exit.SOME)


def is_interactive() -> bool:
    """Return whether the user can answer a question."""
    return sys.stdin.isatty()
