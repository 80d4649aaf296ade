"""Types of documents: those that follow from a media type, and what is sent where none does."""
# facts 3.10: an id must be sent, and the service stores the type that follows from MimeType

from __future__ import annotations

from typing import Any

__all__ = ["LINK", "OTHER", "stored_type"]

_PICTURE: dict[str, Any] = {"id": 3, "display_as": "Picture"}
_PDF: dict[str, Any] = {"id": 32}

OTHER = _PDF
"""Type that is sent for any other file. Which one the service stores then is not shown; assumed."""

LINK: dict[str, Any] = {"id": 9}
"""Type of a link. Not shown; assumed."""


def stored_type(mime_type: str) -> dict[str, Any] | None:
    """Return the type that the service stores for a media type, whatever is sent; None if it is not known."""
    media = mime_type.lower()
    return _PICTURE if media.startswith("image/") else _PDF if media == "application/pdf" else None
