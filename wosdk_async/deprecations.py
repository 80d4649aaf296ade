"""Deprecations: what goes in a later version works until then, with a warning that says what to use instead.

The table of CONTRIBUTING.md says what fits what, and what else a deprecation needs.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

if sys.version_info >= (3, 13):
    from warnings import deprecated
else:
    from typing_extensions import deprecated  # type checkers and editors know it, unlike one of our own

__all__ = ["deprecated", "renamed_arguments", "warn_deprecated"]

F = TypeVar("F", bound=Callable[..., Any])


def warn_deprecated(what: str, *, instead: str, goes_in: str, stacklevel: int = 2) -> None:
    """Warn of a use of something deprecated.

    Args:
        what: what was used, as the user wrote it.
        instead: what to write.
        goes_in: the version that will not have it any more.
        stacklevel: 2 points at the caller of the function that calls this, 3 at the caller of that one.
    """
    text = f"{what} is deprecated and goes in {goes_in}: {instead}"
    warnings.warn(text, DeprecationWarning, stacklevel=stacklevel + 1)


def renamed_arguments(goes_in: str, **names: str) -> Callable[[F], F]:
    """Let a function, or the ``__init__`` of a class, take keyword arguments by their old names, too.

    Args:
        goes_in: the version that will not take the old names any more.
        names: old name = new name.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for old, new in names.items():
                if old in kwargs:
                    if new in kwargs:
                        raise TypeError(f"{function.__qualname__}() got {new}= and its old name {old}=")
                    # Here, and not in the function: a coroutine would warn at its await.
                    warn_deprecated(f"{old}=", instead=f"write {new}=", goes_in=goes_in)
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return cast("F", call)

    return decorate
