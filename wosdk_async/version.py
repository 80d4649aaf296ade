"""Version of the package."""

from __future__ import annotations

__all__ = ["VERSION"]

VERSION = "0.2.0"
