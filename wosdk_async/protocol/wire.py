"""Wire messages: :class:`Call`, ready to be sent, and :class:`Response`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import attrs

from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets

T = TypeVar("T")

_MAX_TEXT = 1000  # maximum characters of a reason

COMMANDS = "api/v1/cmd/"
"""Path prefix of all commands."""


NOTHING_SENT = b'{"CommandResult": {}, "EntitySpecifier": {}}'
"""Body of a dry run's responses: the only empty result that counts as a create's success."""


@attrs.define
class Response:
    """Response with a decompressed body and lower-case header names."""

    status: int
    headers: Mapping[str, str] = attrs.field(repr=False)
    body: bytes = attrs.field(repr=False)  # hidden in the repr, because it may repeat the token
    followed: bool = attrs.field(default=False, eq=False, repr=False)
    """Whether surplus bytes followed; if so, this response may belong to another call."""


@attrs.define
class Call(Generic[T]):
    """Call, ready to be sent to the session's host. Treat it as immutable.

    The class is not frozen, because creating a frozen instance takes four times as long.
    """

    operation: str
    method: str
    path: str
    """Path relative to the Company's host, or to the locator for discovery."""
    decode: Callable[[bytes], T] = attrs.field(repr=False)
    """Converts the body of a success to the result."""
    repeat_safe: bool
    """Whether sending the call twice has the same effect as sending it once. If not, the client retries the
    call only if the service cannot have carried it out.
    """
    body: bytes | None = attrs.field(default=None, repr=False)
    headers: tuple[tuple[str, str], ...] = ()
    request_id: str | None = None
    to_locator: bool = False
    other_paths: tuple[str, ...] = ()
    """Paths to try if the service does not know ``path``."""
    remedy: Remedy | None = None
    """Remedy if a rule of the service refuses the call."""
    key: str | None = None
    """Key of a call with a marker."""

    @property
    def reads(self) -> bool:
        """Whether the call only reads: it is safe to repeat, and is not a delete."""
        return self.repeat_safe and self.method != "DELETE"

    @property
    def creates(self) -> bool:
        """Whether the call creates a record without a command."""
        return self.method == "POST" and not (self.repeat_safe or self.path.startswith(COMMANDS))


class InconclusiveResponse(Exception):
    """Response that shows neither success nor refusal: a gateway's page, a 500, malformed JSON."""

    def __init__(self, status: int, why: str, *, plain: bool = False) -> None:
        super().__init__(f"HTTP {status}: {why}")
        self.status = status
        self.plain = plain
        """Whether the response is complete and has a body that is not a service error."""

    def hide(self, secrets: Secrets) -> None:
        """Hide ``secrets`` that the response repeated, then truncate long texts."""
        self.args = (secrets.hide(str(self), _MAX_TEXT),)
