"""Pydantic schemas for model classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar


class PydanticHook:
    """Schema function, set by ``wosdk_async/__init__.py`` before any other module runs.

    Model classes call this hook in the method that Pydantic looks for, because the model must not import
    anything from higher layers.
    """

    record_schema: ClassVar[Callable[[type[Any]], Any]]
    """Return the core schema of a class; imports Pydantic."""
