"""Commands of the benchmarks: help without the extra ``bench``, and one error line if they cannot run."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cells import STACKS
from benchmarks.test_report import OURS, run
from tests.docs.pages import ROOT
from tests.support import arguments
from tests.support.arguments import BENCH

COMMANDS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
    for folder in ("benchmarks", "tests/chaos", "tests/simulation")
    for path in ROOT.glob(f"{folder}/**/*.py")
    if "arguments.parser(" in path.read_text(encoding="utf-8") and not path.name.startswith("test_")
)
WITHOUT_BENCH = f"""
import runpy, sys
sys.modules.update(dict.fromkeys({BENCH}))  # None: an import fails, as if it were not installed
for name in sys.argv.pop(1).split():
    try:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        assert ended.code in (0, 2), name
        print(name, ended.code)
"""


def execute(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, command)], cwd=ROOT, check=False, capture_output=True, text=True
    )


def error_of(module: str, *arguments: object) -> str:
    """Return a command's only error line before it exits with 2. The command runs in this process."""
    stdout, stderr = StringIO(), StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(stdout),
        redirect_stderr(stderr),
        pytest.raises(SystemExit) as ended,
        warnings.catch_warnings(action="ignore", category=RuntimeWarning),  # the module is imported already
    ):
        patch.setattr(sys, "argv", [module, *map(str, arguments)])
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    lines = [line for line in stderr.getvalue().splitlines() if not line.startswith(("usage: ", " "))]
    assert (ended.value.code, stdout.getvalue(), len(lines)) == (2, "", 1), stderr.getvalue()
    return lines[0]


@pytest.fixture(scope="module")
def helped() -> subprocess.CompletedProcess[str]:
    """Return the help of all commands, printed without the extra."""
    return execute("-W", "ignore", "-c", WITHOUT_BENCH, " ".join(COMMANDS), "--help")


def test_help_without_the_extra(helped: subprocess.CompletedProcess[str]) -> None:
    """No package of the extra is imported for the help."""
    assert helped.stderr == ""
    assert {"benchmarks", "benchmarks.memory", "benchmarks.report"} <= set(COMMANDS)
    assert all(f"\n{name} 0\n" in helped.stdout for name in COMMANDS)
    assert all(f"usage: python -m {name} [-h]" in helped.stdout for name in COMMANDS)


def test_help_explains_every_option(helped: subprocess.CompletedProcess[str]) -> None:
    """Every option has a text, and output files have the same name."""
    entries = re.findall(r"^  (\S.*(?:\n {6,}.*)*)", helped.stdout, re.MULTILINE)
    options = [entry for entry in entries if entry.startswith("-")]
    assert len(options) > 2 * len(COMMANDS)
    assert [entry for entry in options if not re.search(r"\s{2,}\w", entry)] == []
    assert {entry.split("  ")[0] for entry in options if "--json" in entry} == {"--json OUT.json"}
    assert "--rounds N  " in helped.stdout
    assert "(default: 1 2 4)" in helped.stdout
    assert "(default: None)" not in helped.stdout


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        (["benchmarks", "--quick"], BENCH),
        (["benchmarks.memory"], BENCH),
        (["benchmarks.threads", "--loop", "uvloop"], ["uvloop"]),
    ],
)
def test_a_run_without_the_extra(command: list[str], missing: list[str]) -> None:
    """The command says what to install before it measures anything."""
    ended = execute("-c", WITHOUT_BENCH, *command)
    assert ended.stdout == f"{command[0]} 2\n"
    said = f"error: {', '.join(missing)} not installed: pip install -e '.[bench]'"
    assert ended.stderr.splitlines()[-1].endswith(said)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["benchmarks.threads", "--threads", "0"], "--threads: '0' is not a whole number of 1 or more"),
        (["benchmarks.threads", "--threads", "1", "-1"], "--threads: '-1' is not a whole number"),
        (["benchmarks.threads", "--threads", "101"], "--threads: 101 is more than the 100 calls at once"),
        (["benchmarks.threads", "--rounds", "0"], "--rounds: '0' is not a whole number"),
        (["benchmarks.kept", "--rounds", "many"], "--rounds: 'many' is not a whole number"),
    ],
)
def test_a_number_that_cannot_be_measured(command: list[str], said: str) -> None:
    assert said in error_of(*command)


WRITERS = [
    "benchmarks --json",
    "benchmarks --svg",
    *(
        f"benchmarks.{name} --json"
        for name in ("connections", "export", "records", "sandbox", "scale", "threads")
    ),
]


@pytest.mark.parametrize("command", WRITERS)
def test_a_file_that_cannot_be_written(tmp_path: Path, command: str) -> None:
    """The command refuses the file before it measures anything."""
    none = tmp_path / "none" / "a.json"
    option = command.split()[1]
    assert error_of(*command.split(), none).endswith(
        f"error: argument {option}: '{none}' cannot be written: No such file or directory"
    )
    assert "cannot be written: Is a directory" in error_of(*command.split(), tmp_path)


def test_a_file_to_write_is_not_touched_before(tmp_path: Path) -> None:
    there, new = tmp_path / "there.json", tmp_path / "new.json"
    there.write_text("earlier figures")
    assert [arguments.output(str(path)) for path in (there, new)] == [there, new]
    assert there.read_text() == "earlier figures"
    assert not new.exists()


def test_instructions_without_valgrind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in BENCH:  # so that the extra is not missing
        tmp_path.joinpath(f"{name}.py").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    said = error_of("benchmarks.instructions")
    assert said == (
        "python -m benchmarks.instructions: error: valgrind is not on the path: install it, for example by"
        " apt-get install valgrind"
    )


FIGURES = {"cpu_us": 1, "per_second": 1, "p50_ms": 1, "p99_ms": 1, "server_us": 1}
STACKS_OF_1 = dict.fromkeys(STACKS, FIGURES)


def written(path: Path, **changes: Any) -> Path:
    """Write a run's file with ``changes``; None removes a name."""
    run(ratios={"codec_vs_pydantic": 0.4}).write(path)
    found = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({name: value for name, value in found.items() if value is not None}))
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"about": None},
        {"about": {"quick": True}},
        {"cells": None},
        {"cells": {}},
        {"cells": {"asyncio, http": {OURS: {"cpu_us": 1}}}},
        {"cells": {"asyncio, http": {}}},
        {"cells": {"asyncio, http": STACKS_OF_1, "trio, http": STACKS_OF_1}},
        {"peak_mb": [1]},
        {"codec_vs_pydantic": "small"},
    ],
    ids=str,
)
def test_a_report_of_another_file(tmp_path: Path, changes: dict[str, Any]) -> None:
    """One wrong part is enough."""
    path = written(tmp_path / "a.json", **changes)
    assert f"error: {path} was not written by python -m benchmarks --json: " in error_of(
        "benchmarks.report", path
    )


@pytest.mark.parametrize("text", ["", "[]", "\xff", "{"])
def test_a_report_of_something_else(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="latin-1")
    assert f"{path} was not written by" in error_of("benchmarks.report", path)
    assert "No such file" in error_of("benchmarks.report", tmp_path / "none.json")


def test_a_report_of_files_that_differ(tmp_path: Path) -> None:
    """Every file needs every client, and the page needs a place for each table."""
    one = written(tmp_path / "a.json")
    cells = json.loads(one.read_text())["cells"]
    cells["asyncio, http"]["another client"] = cells["asyncio, http"][OURS]
    other = written(tmp_path / "b.json", cells=cells)
    assert "the files differ in their cells or clients" in error_of("benchmarks.report", one, other)
    page = tmp_path / "page.md"
    page.write_text("# A page\n")
    assert "no place for the table 'cells'" in error_of("benchmarks.report", one, "--page", page)
    assert page.read_text() == "# A page\n"
