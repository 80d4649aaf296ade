"""Pydantic schemas for model classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar


class PydanticHook:
    """Schema function, set by ``wosdk_async/__init__.py`` before any other module runs.

    Model classes call it in the method that Pydantic looks for: the model imports nothing from higher layers.
    """

    record_schema: ClassVar[Callable[[type[Any]], Any]]
    """Return the core schema of a class; imports Pydantic."""
