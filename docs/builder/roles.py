"""Extension of griffe for mkdocstrings: docstrings are read as Markdown."""

from __future__ import annotations

from typing import Any

import griffe

from docs.builder.markup import plain

__all__ = ["Roles"]


class Roles(griffe.Extension):
    """Hand each docstring to :func:`plain` when griffe has read the package."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of one object."""
        if obj.docstring:
            obj.docstring.value = plain(obj.docstring.value)
