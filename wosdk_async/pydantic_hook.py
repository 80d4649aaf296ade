"""How Pydantic gets the schema of a class of the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

__all__ = ["PydanticHook"]


class PydanticHook:
    """Function that makes the schemas, set by ``wosdk_async/__init__.py``, which runs before all others.

    Every class of the model has the method that Pydantic looks for, but the model imports nothing above it.
    """

    record_schema: ClassVar[Callable[[type[Any]], Any]]
    """Return the core schema of a class; imports Pydantic."""
