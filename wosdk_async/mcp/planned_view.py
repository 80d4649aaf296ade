"""What commit would send, as the person reads it who agrees to it: all of it, or there is no plan.

A record may be shortened for an agent; a request may not. So empty values, null and marks stay as they are in
the body, and what is hidden is named in a warning.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import attrs

from wosdk_async import codec
from wosdk_async.codec.masking import mask_fields
from wosdk_async.errors import InvalidCallError
from wosdk_async.mcp.untrusted import MOST_BYTES, bytes_of, plain_number
from wosdk_async.protocol.wire import Call
from wosdk_async.text.safe_text import Secrets, is_secret_name, one_line

__all__ = ["PlannedView", "planned_view"]

_MOST_HIDDEN = 20
_MOST_DEPTH = 30
_MASK = "***"


@attrs.frozen
class PlannedView:
    """The requests of a plan, and what the user should know of the view."""

    requests: list[dict[str, Any]]
    warnings: list[str]


def planned_view(calls: list[Call[Any]], secrets: Secrets) -> PlannedView:
    """Return the requests that ``calls`` would send.

    The RequestId is left out: each commit has a new one.

    Raises:
        InvalidCallError: they cannot be shown whole.
    """
    view = _View(secrets)
    requests = []
    for call in calls:
        body = codec.loads(call.body) if call.body else None
        if isinstance(body, dict):
            body.pop("RequestId", None)
        requests.append(
            {"method": call.method, "path": view.of(call.path, "path", 0), "body": view.of(body, "body", 0)}
        )
    size = bytes_of(requests)
    if size > MOST_BYTES:
        raise InvalidCallError(
            f"the change is too large to be shown whole: {size:,} bytes of {MOST_BYTES:,} at most; split it"
        )
    if len(view.hidden) > _MOST_HIDDEN:
        raise InvalidCallError(
            f"{len(view.hidden)} values look like secrets and could not be shown; leave secrets out"
        )
    return PlannedView(requests, [_hidden(path) for path in view.hidden])


def _hidden(path: str) -> str:
    return f"{path} looks like a secret: {_MASK} hides it or a part of it here, and commit sends the whole."


@attrs.define
class _View:
    """Makes the view of bodies, and keeps the paths of what it hides."""

    secrets: Secrets
    hidden: list[str] = attrs.field(factory=list)

    def of(self, value: Any, path: str, depth: int) -> Any:
        """Return a value as it is sent, escaped."""
        if depth > _MOST_DEPTH:
            raise InvalidCallError(f"the change is nested more than {_MOST_DEPTH} levels deep; split it")
        if isinstance(value, Mapping):
            return {self._name(name): self._field(name, item, path, depth) for name, item in value.items()}
        if isinstance(value, list):
            return [self.of(item, f"{path}[{at}]", depth + 1) for at, item in enumerate(value)]
        if isinstance(value, str):
            masked = str(mask_fields(value, self.secrets))
            if masked != value:
                self.hidden.append(path)
            return one_line(masked)
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return plain_number(value)
        return value

    def _name(self, name: str) -> str:
        shown = one_line(self.secrets.hide(name, len(name)))
        if shown != name or len(name) > 100:  # two names could be shown alike
            raise InvalidCallError(f"the name {shown:.60} cannot be shown as it is; leave it out")
        return name

    def _field(self, name: str, value: Any, path: str, depth: int) -> Any:
        inner = f"{path}.{name}"
        if is_secret_name(name) and value is not None and not isinstance(value, bool):
            self.hidden.append(inner)
            return _MASK
        return self.of(value, inner, depth + 1)
