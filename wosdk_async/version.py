"""Version of the package."""

from __future__ import annotations

VERSION = "0.3.0"
