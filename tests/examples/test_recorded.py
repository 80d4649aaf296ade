"""The recorded example: its recording plays, and a new one of the local Company has the same requests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT
from wosdk_async.sandbox import LocalCompany

EXAMPLE = ROOT / "docs" / "examples" / "test_recorded.py"
# Other plugins of this environment, which take longer to import than the example takes.
OTHERS = ("hypothesispytest", "faker", "respx", "pytest_httpx", "pytest_httpx2", "xdist", "xdist.looponfail")
SETTINGS = ["-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function"]


def run(folder: Path, environ: Mapping[str, str], *options: str) -> str:
    """Run the example in ``folder`` as a user does, and return what pytest printed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "WOSDK"))}
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", *SETTINGS]
    command += [part for name in OTHERS for part in ("-p", f"no:{name}")]
    done = subprocess.run(
        [*command, "--rootdir", str(folder), *options, str(folder / EXAMPLE.name)],
        cwd=folder,
        env={**own, **environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout + done.stderr


def requests(folder: Path) -> list[tuple[str, str, Any]]:
    """Return the requests of the recording in ``folder``."""
    (path,) = folder.glob("recordings/*.json")
    found = json.loads(path.read_text("utf-8"))["exchanges"]
    return [(each["method"], each["path"], each.get("body")) for each in found]


def test_the_example_records_what_it_plays(tmp_path: Path) -> None:
    shutil.copy(EXAMPLE, tmp_path)
    with LocalCompany() as local:
        assert "1 passed" in run(tmp_path, local.variables, "--wosdk-record")
        secrets = list(local.variables.values())
    assert requests(tmp_path) == requests(EXAMPLE.parent)
    (path,) = tmp_path.glob("recordings/*.json")
    text = path.read_text("utf-8")
    assert "Somebody" in text
    assert not [secret for secret in [*secrets, "Lindqvist"] if secret in text]
