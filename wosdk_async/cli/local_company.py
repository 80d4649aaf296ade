"""The local Company of ``--sandbox``, which runs during one command."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from wosdk_async.cli.exit_codes import CliError, cli_errors, sandbox_extra

__all__ = ["TEMPORARY", "company_variables", "identity_of"]

TEMPORARY = "\0"
"""``--sandbox`` without a STORE; no file can have this name."""


@contextmanager
def company_variables(sandbox: str | None) -> Iterator[Mapping[str, str] | None]:
    """Yield the ``WOSDK_*`` variables of a local Company; None without ``--sandbox``."""
    if sandbox is None:
        yield None
        return
    with sandbox_extra():
        from wosdk_async.sandbox import LocalCompany, StoreError
    with ExitStack() as exits:
        try:
            with cli_errors():
                local = exits.enter_context(LocalCompany(None if sandbox == TEMPORARY else sandbox))
        except StoreError as error:
            raise CliError(str(error)) from error
        yield local.variables


def identity_of(variables: Mapping[str, str] | None) -> str | None:
    """Return a text that identifies one sandbox: names and ids of all are the same."""
    if variables is None:
        return None
    secret = variables["WOSDK_CLIENT_SECRET"]  # random in each store
    return f"sandbox {hashlib.blake2b(secret.encode(), digest_size=6).hexdigest()}"
