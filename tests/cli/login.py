"""Log-ins for the tests of ``wosdk login``: what is given, and the profiles that are there."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

SECRET = "WOSDK_CLIENT_SECRET"
IDENTITY = ("WOSDK_COMPANY", "WOSDK_CLIENT_ID", SECRET)


def given(company: dict[str, str]) -> list[str]:
    return ["--company", company["WOSDK_COMPANY"], "--client-id", company["WOSDK_CLIENT_ID"]]


def profiles(folder: Path) -> Any:
    return tomllib.loads((folder / "wosdk" / "config.toml").read_text(encoding="utf-8"))["profiles"]


def forget_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WOSDK_TOKEN_URL", "WOSDK_LOCATOR_URL"):
        monkeypatch.delenv(name)


def old_profile(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "wosdk" / "config.toml"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    return file
