"""Files of another user of this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def make_foreign(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a file to another user, or become another user if that is not permitted."""
    if os.geteuid() == 0:
        os.chown(path, 12_345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12_345)
