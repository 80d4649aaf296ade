"""Base of the resources of a Company, whose own errors name values of records."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any

from wosdk_async.calls.sender import CallSender
from wosdk_async.errors import WosdkError

__all__ = ["Resource"]


class Resource:
    """Base class whose public coroutines raise errors without the secrets that a record may repeat."""

    _sender: CallSender

    def __init_subclass__(cls) -> None:
        for name, method in list(vars(cls).items()):
            if inspect.iscoroutinefunction(method) and not name.startswith("_"):
                setattr(cls, name, _without_secrets(method))


def _without_secrets(method: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def hiding(self: Resource, *args: Any, **kwargs: Any) -> Any:
        try:
            return await method(self, *args, **kwargs)
        except WosdkError as error:
            error.hide(self._sender.secrets)
            if not error.attempts:  # no call raised it: its frames hold records as text
                error.__traceback__ = None
            raise

    return hiding
