"""Breaks of the public API are found: in a copy of the package, in which some things are changed."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TOOL: dict[str, Any] = runpy.run_path(str(ROOT / ".ci" / "api.py"))
CHANGES = {
    "company.py": [
        ("async def connect(self", "async def connect_now(self"),
        ("        look_first: bool = False,\n", ""),
    ],
    "jobs/__init__.py": [('    "tune_process",\n', "")],
    "jobs/sources/formats.py": [("    format: str | None = None,\n", "    kind: str | None = None,\n")],
    "resources/labor.py": [("async def entries(", "async def all_entries(")],
    "cli/commands/login.py": [("@json_option\n", "")],
    "cli/commands/sandbox.py": [
        ('@click.option("--env-file", type=_FILE,', '@click.option("--env-file", type=_FILE, required=True,'),
        ("default=8900", "default=8901"),
        ('click.Choice(["spec", "recorded"])', 'click.Choice(["spec"])'),
        ("    multiple=True,\n", "    callback=lambda _, __, name: (name,),\n"),
        (
            '@click.argument("file", type=_FILE)\n@',
            '@click.argument("file", type=_FILE)\n@click.argument("kind")\n@',
        ),
    ],
    "cli/exit_codes.py": [("SOME = 1", "SOME = 9"), ("    MISSING = 4\n", "    NONE = 4\n")],
    "protocol/verdicts.py": [("Ending(NotUniqueError, 3", "Ending(NotUniqueError, 6")],
    "calls/run_many.py": [("_keep_replies", "_kept_replies")],  # not public
}


UNREAD = ("cli", "codec", "journal", "model", "protocol", "query", "sandbox", "testing", "transport", "undo")
"""Folders without an exported name that changes here; ``.ci/api.py`` reads them all before each commit."""


def copied(folder: Path, *unwanted: str) -> Path:
    """Copy the package without some of its folders."""
    ignored = shutil.ignore_patterns("__pycache__", "mcp", *unwanted)
    shutil.copytree(ROOT / "wosdk_async", folder / "wosdk_async", ignore=ignored)
    return folder


def changed(tree: Path) -> Path:
    """Make the changes in a copy, in the files that it has."""
    for name, changes in CHANGES.items():
        path = tree / "wosdk_async" / name
        if not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, (name, old)
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    return tree


def test_breaks_are_found_and_other_changes_are_none(tmp_path: Path) -> None:
    old, new = copied(tmp_path / "old", *UNREAD), changed(copied(tmp_path / "new", *UNREAD))
    whole = changed(copied(tmp_path / "whole"))
    found = sorted([*TOOL["breaks_of_names"](old, new), *TOOL["breaks_of_commands"](ROOT, whole)])
    assert found == [
        "wosdk check: option --json removed",
        "wosdk sandbox seed: argument 2 added as required",
        "wosdk sandbox serve: option --company takes other values",
        "wosdk sandbox serve: option --dialect: recorded is not taken any more",
        "wosdk sandbox serve: option --env-file became required",
        "wosdk sandbox serve: option --port: default changed",
        "wosdk: exit status MISSING removed",
        "wosdk: exit status SOME changed from 1 to 9",
        "wosdk: exit status of NotUniqueError changed from 3 to 6",
        "wosdk_async.company.Company.connect: public object was removed",
        "wosdk_async.company.Company.create(look_first): parameter was removed",
        "wosdk_async.company.Company.run(look_first): parameter was removed",
        "wosdk_async.company.Company.run_many(look_first): parameter was removed",
        "wosdk_async.jobs.sources.formats.open_source(format): parameter was removed",
        "wosdk_async.jobs.tune_process: public object was removed",
        "wosdk_async.resources.labor.Labor.entries: public object was removed",
    ]


def test_the_reference_is_the_release_before_also_without_tags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was removed between two releases is missing in the commit before the second one, too."""
    monkeypatch.setitem(TOOL["reference"].__globals__, "ROOT", tmp_path)
    file = tmp_path / "wosdk_async" / "version.py"
    file.parent.mkdir()

    def commit(version: str, note: str) -> str:
        file.write_text(f'VERSION = "{version}"\n# {note}\n', encoding="utf-8")
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", *who, "commit", "-qam", note], cwd=tmp_path, check=True)
        return str(TOOL["git"]("rev-parse", "HEAD"))

    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    assert TOOL["reference"]() == ""
    file.write_text("", encoding="utf-8")
    subprocess.run(["git", "add", "wosdk_async/version.py"], cwd=tmp_path, check=True)
    released = commit("1.0.0", "released")
    assert TOOL["reference"]() == ""
    commit("1.0.0", "something is removed")
    assert TOOL["reference"]() == released
    file.write_text('VERSION = "1.1.0"\n', encoding="utf-8")
    assert TOOL["reference"]() == released
    raised = commit("1.1.0", "raised")
    assert TOOL["reference"]() == released
    commit("1.1.0", "work")
    assert TOOL["reference"]() == raised
