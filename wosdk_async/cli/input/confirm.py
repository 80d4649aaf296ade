"""The question before something is changed in a Company that is not on this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from wosdk_async.cli.exit_codes import CliError, Exit, say
from wosdk_async.transport.session.hosts import is_local

if TYPE_CHECKING:
    from wosdk_async import Company

__all__ = ["confirm"]


def confirm(company: Company, what: str, question: str, *, ask: bool) -> None:
    """Show what goes where; ask, unless it is nobody's production (a loopback address)."""
    say(f"{what} for Company {company.name!r} at {company.host} (release {company.version})")
    if not ask or is_local(company.host or ""):
        return
    if not _somebody_is_there():
        raise CliError("nobody can be asked, because stdin is no terminal; add --yes to go on without")
    if not click.confirm(question, err=True):
        raise CliError("nothing was sent", Exit.SOME)


def _somebody_is_there() -> bool:
    return sys.stdin.isatty()
