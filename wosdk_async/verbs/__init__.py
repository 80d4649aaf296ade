"""The generic verbs of one Company: ``commands.py``, and on top of it ``entities.py``."""

from __future__ import annotations

from wosdk_async.verbs.entities import Verbs

__all__ = ["Verbs"]
