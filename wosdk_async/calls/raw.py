"""Calls that no verb covers."""

from __future__ import annotations

from typing import Any

from wosdk_async import codec
from wosdk_async.calls.parts import segment
from wosdk_async.check.arguments import described
from wosdk_async.errors import InvalidCallError
from wosdk_async.wire import Call

__all__ = ["post"]


def post(path: str, body: Any, *, repeat_safe: bool) -> Call[Any]:
    """POST JSON to a path below ``api/v1/``; the answer is its JSON, as it came."""
    if not isinstance(path, str):
        raise InvalidCallError(f"post() takes a path below api/v1/ such as 'cmd/X', not {described(path)}")
    if path.startswith(("/", "api/")):
        below = path.lstrip("/").removeprefix("api/v1/")
        raise InvalidCallError(
            f"{path!r:.80} does not start below api/v1/; post() takes what follows it, without a leading"
            f" slash: {below!r:.80}"
        )
    try:
        content = codec.dumps(codec.unstructure(body))
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
    return Call(f"POST {path}", "POST", f"api/v1/{segment(path)}", codec.loads, repeat_safe, body=content)
