"""The recorded example: its recording plays, and a new one of the local Company has the same requests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT
from tests.support.preloaded import run_pytest
from wosdk_async.sandbox import LocalCompany

EXAMPLE = ROOT / "docs" / "examples" / "test_recorded.py"
SETTINGS = ("-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function")


def requests(folder: Path) -> list[tuple[str, str, Any]]:
    """Return the requests of the recording in ``folder``."""
    (path,) = folder.glob("recordings/*.json")
    found = json.loads(path.read_text("utf-8"))["exchanges"]
    return [(each["method"], each["path"], each.get("body")) for each in found]


def test_the_example_records_what_it_plays(tmp_path: Path) -> None:
    shutil.copy(EXAMPLE, tmp_path)
    with LocalCompany() as local:
        printed = run_pytest(tmp_path, *SETTINGS, "--wosdk-record", EXAMPLE.name, environ=local.variables)
        assert "1 passed" in printed, printed
        secrets = list(local.variables.values())
    assert requests(tmp_path) == requests(EXAMPLE.parent)
    (path,) = tmp_path.glob("recordings/*.json")
    text = path.read_text("utf-8")
    assert "Somebody" in text
    assert not [secret for secret in [*secrets, "Lindqvist"] if secret in text]
