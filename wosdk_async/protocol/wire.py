"""Messages of a call: :class:`Call`, ready to be sent, and :class:`Response`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import attrs

from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets

__all__ = ["COMMANDS", "Call", "InconclusiveResponse", "Response"]

T = TypeVar("T")

COMMANDS = "api/v1/cmd/"
"""Path below which all commands are."""


@attrs.define
class Response:
    """A response with decompressed body and header names in lower case. It must not be changed."""

    status: int
    headers: Mapping[str, str] = attrs.field(repr=False)
    body: bytes = attrs.field(repr=False)  # it may repeat the token
    followed: bool = attrs.field(default=False, eq=False, repr=False)
    """Whether other bytes came with it, after its end: one of the two may be the response of another call."""


@attrs.define
class Call(Generic[T]):
    """One call, ready to be sent to the host that the session names at that moment.

    It must not be changed. The class is not frozen, because each call makes an instance, and making a frozen
    one takes four times as long.
    """

    operation: str
    method: str
    path: str
    """Path relative to the Company's host, or to the locator for discovery."""
    decode: Callable[[bytes], T] = attrs.field(repr=False)
    """Function that makes the result from the body of a success."""
    repeat_safe: bool
    """Whether sending it twice has the same effect as once. If not, it is retried only when it cannot have
    reached the service."""
    body: bytes | None = attrs.field(default=None, repr=False)
    headers: tuple[tuple[str, str], ...] = ()
    request_id: str | None = None
    to_locator: bool = False
    other_paths: tuple[str, ...] = ()
    """Paths to try when the service does not know ``path``."""
    remedy: Remedy | None = None
    """What to do when a rule of the service refuses the call."""

    @property
    def reads(self) -> bool:
        """Whether the call changes nothing: safe to repeat, and not a delete."""
        return self.repeat_safe and self.method != "DELETE"


class InconclusiveResponse(Exception):
    """A response that tells neither success nor refusal: a gateway's page, a 500, broken JSON."""

    def __init__(self, status: int, why: str, *, plain: bool = False) -> None:
        super().__init__(f"HTTP {status}: {why}")
        self.status = status
        self.plain = plain
        """Whether the response is complete, but is not an error body of the service."""

    def hide(self, secrets: Secrets) -> None:
        """Hide ``secrets`` that the response repeated."""
        self.args = (secrets.hide(str(self), len(str(self))),)
