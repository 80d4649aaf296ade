"""Event loop and client of a command. Ctrl-C stops both within a second."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from typing import Any, Self, TypeVar

import click

from wosdk_async import Client, Company
from wosdk_async.cli.exit_codes import CliError, Exit, extra, say
from wosdk_async.cli.options import TEMPORARY, Target
from wosdk_async.cli.signals import INTERRUPTION
from wosdk_async.company import secrets_of
from wosdk_async.errors import ConfigurationError, WosdkError
from wosdk_async.options.hooks import warn_of
from wosdk_async.settings.environment import ignored_profile
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.retry import UnreachableHosts
from wosdk_async.transport.session.hosts import is_local

T = TypeVar("T")

_LOG = logging.getLogger("wosdk_async")
_MISSING = {Remedy.COMPANY_NAME, Remedy.CREDENTIALS}  # remedies for missing settings
_EXIT_DELAY = 0.7  # seconds that the command may take to close after Ctrl-C


class Runner:
    """``with Runner(target) as runner: runner.run(runner.company.get(...))``.

    No event loop runs between calls to :meth:`run`, so Ctrl-C can interrupt a prompt.
    """

    def __init__(self, target: Target, variables: Mapping[str, str] | None = None, **more: Any) -> None:
        try:
            self._client = target.client(variables, **more)
            self.company = self._client.company(target.company if variables is None else None)
        except ConfigurationError as error:
            if variables is not None or target.profile is not None or _MISSING.isdisjoint(error.remedies):
                raise
            remedy = "run `wosdk login` to save a Company and its credentials, or pass --company NAME"
            if found := ignored_profile(os.environ):
                named, are = " and ".join(found), "are" if len(found) > 1 else "is"
                remedy = f"{named} {are} set, so profile 'default' is ignored; "
                remedy += f"unset {named}, or add --profile default"
            raise ConfigurationError(f"{error.message}: {remedy}") from error
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        _LOG.addFilter(_is_logged)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._runner.run(self._client.aclose())
        finally:
            self._runner.close()
            _LOG.removeFilter(_is_logged)

    def run(self, call: Coroutine[Any, Any, T], *, exit_soon: bool = True) -> T:
        """Return the result of ``call``. Raises KeyboardInterrupt after Ctrl-C, once ``call`` has ended.

        With ``exit_soon`` the process exits shortly after Ctrl-C even if something hangs.
        """
        return self._runner.run(self._watched(call, exit_soon))

    async def _watched(self, call: Coroutine[Any, Any, T], exit_soon: bool) -> T:
        """Return the result of ``call``. Report a slow log-in on stderr, and hide the secrets in errors."""
        try:
            async with reporting_slow_login(lambda: login_wait_of(self._client)):
                return await call
        except WosdkError as error:
            error.hide(secrets_of(self.company))
            raise
        except asyncio.CancelledError:
            if exit_soon:
                # The exit cannot wait for a thread in a DNS query, because such a thread cannot be
                # interrupted.
                timer = threading.Timer(_EXIT_DELAY, os._exit, [INTERRUPTION.status])
                timer.daemon = True
                timer.start()
            raise


def _is_logged(record: logging.LogRecord) -> bool:
    """Return False for log entries on calls in doubt or unreachable hosts: the command reports these."""
    return record.funcName not in (warn_of.__name__, UnreachableHosts.warn_unreachable.__name__)


def confirm(company: Company, what: str, question: str, *, ask: bool) -> None:
    """Print the change and the Company. With ``ask``, prompt unless the host is a loopback address."""
    say(f"{what} for Company {company.name!r} at {company.host} (release {company.version})")
    if not ask or is_local(company.host or ""):
        return
    require_yes(question, f"{NOT_A_TERMINAL}; add --yes to continue")


NOT_A_TERMINAL = "stdin is not a terminal, so you cannot be prompted"


def require_yes(question: str, cannot_ask: str, refused: str = "nothing was sent") -> None:
    """Ask for confirmation.

    Raises CliError with the message ``refused`` if the user declines, or ``cannot_ask`` without a terminal.
    """
    if not is_interactive():
        raise CliError(cannot_ask)
    if not click.confirm(question, err=True):
        raise CliError(refused, Exit.SOME)


def is_interactive() -> bool:
    """Return whether the user can answer a prompt."""
    return sys.stdin.isatty()


LoginWait = tuple[float, str]
"""Seconds since the start of a log-in, and what the log-in is waiting for (empty if unknown)."""

_PATIENCE = 3.0  # seconds before a log-in counts as slow; usually it takes less than 1 s, even with a retry
_BETWEEN_LOOKS = 0.5  # seconds


def login_wait_of(client: Client) -> LoginWait | None:
    """Return the log-in that calls are waiting for, if any."""
    for company in client.stats().companies:
        # Calls do not wait for the renewal of a session that is still valid.
        if company.login_age is not None and not company.session_left:
            return company.login_age, company.login_waits_for
    return None


@asynccontextmanager
async def polling(seconds: float, look: Callable[[], None]) -> AsyncIterator[None]:
    """Within the block, call ``look`` every ``seconds`` seconds."""

    async def poll() -> None:
        while True:
            await asyncio.sleep(seconds)
            look()

    polled = asyncio.create_task(poll())
    try:
        yield
    finally:
        polled.cancel()


def reporting_slow_login(
    look: Callable[[], LoginWait | None],
    *,
    patience: float = _PATIENCE,
    between_looks: float = _BETWEEN_LOOKS,
    show: Callable[[str], None] = say,
) -> AbstractAsyncContextManager[None]:
    """Within the block, report every log-in once if it takes longer than ``patience`` seconds."""
    said = False

    def check() -> None:
        nonlocal said
        wait = look()
        if wait is None:
            said = False
        elif not said and wait[0] >= patience:
            said = True
            cause = f": {wait[1]}" if wait[1] else ""
            show(f"no session after {wait[0]:.0f} s; still waiting{cause}")

    return polling(between_looks, check)


@contextmanager
def connected(target: Target, sandbox: str | None, **options: Any) -> Iterator[tuple[Runner, str | None]]:
    """Yield a runner and None; for ``--sandbox``, the local Company's runner and its store's fingerprint."""
    if sandbox is None:
        with Runner(target, **options) as runner:
            yield runner, None
        return
    with extra("sandbox", "the sandbox"):
        from wosdk_async.sandbox import LocalCompany, StoreError
    with ExitStack() as exits:
        try:
            local = exits.enter_context(LocalCompany(None if sandbox == TEMPORARY else sandbox))
        except StoreError as error:
            raise CliError(str(error)) from error
        runner = exits.enter_context(Runner(target, local.variables, **options))
        secret = local.variables["WOSDK_CLIENT_SECRET"]  # random per store; names and ids are always the same
        yield runner, f"sandbox {hashlib.blake2b(secret.encode(), digest_size=6).hexdigest()}"
