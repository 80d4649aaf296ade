"""Redaction of errors about records: neither message nor traceback shows what a record repeats."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from wosdk_async.errors import WosdkError
from wosdk_async.text.safe_text import Secrets


@attrs.frozen
class Redaction:
    """Context that removes secrets, and frames, which hold records, from each WosdkError that leaves it."""

    secrets: Callable[[], Secrets] = Secrets

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Redact the error and its causes."""
        while isinstance(error, WosdkError):
            if secrets := self.secrets():
                error.hide(secrets)
            error.__traceback__ = None
            if error.__suppress_context__:  # another context may be the program's own error
                error.__context__ = None
            error = error.__cause__
