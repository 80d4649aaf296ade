"""What a type checker knows of names that are loaded at first use: the right ones, their types, no others."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from mypy import api

import wosdk_async
import wosdk_async.model
import wosdk_async.testing

ROOT = Path(__file__).parents[2]
LAZY = ("wosdk_async", "wosdk_async.model", "wosdk_async.testing")
NAMES = {
    "wosdk_async": sorted({*wosdk_async.__all__, *wosdk_async.model.__all__}),
    "wosdk_async.model": wosdk_async.model.__all__,
    "wosdk_async.testing": wosdk_async.testing.__all__,
}


@pytest.fixture
def strict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a user, outside the project; mypy keeps its cache in the project."""
    monkeypatch.chdir(ROOT)
    return tmp_path / "users_program.py"


def printed(file: Path, *lines: str) -> list[str]:
    """What ``mypy --strict`` prints of a program, without settings of the project and without the path."""
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    out, wrong, _ = api.run(["--strict", "--config-file=", "--no-error-summary", str(file)])
    assert wrong == ""
    return [line.partition(": ")[2] for line in out.splitlines()]


def test_every_name_has_a_type(strict: Path) -> None:
    """Imported by name or read from the module; none is of the type Any."""
    lines = []
    for module in LAZY:
        lines += [f"import {module}", f"from {module} import {', '.join(NAMES[module])}"]
        lines += [f"reveal_type({module}.{name})" for name in NAMES[module]]
    found = printed(strict, *lines)
    assert [line for line in found if not line.startswith("note: Revealed type is ")] == []
    assert [line for line in found if re.search(r'is "(Any|Unknown.*)"$', line)] == []
    assert len(found) == sum(map(len, NAMES.values())) > 600


@pytest.mark.parametrize("module", LAZY)
def test_a_wrong_name_is_an_error(module: str, strict: Path) -> None:
    """A misspelt import, and a misspelt attribute of the module."""
    found = printed(strict, f"from {module} import WorkOrdr", f"import {module} as m", "print(m.Sandbx)")
    imported, read = (line for line in found if line.startswith("error"))
    assert imported.startswith(f'error: Module "{module}" has no attribute "WorkOrdr"')
    assert read.startswith('error: Module has no attribute "Sandbx"')
    assert len(found) == 2


@pytest.mark.parametrize("module", LAZY)
def test_what_a_checker_knows_is_there_when_the_program_runs(module: str) -> None:
    """Each name can be read, and dir() shows it."""
    loaded = import_module(module)
    assert [name for name in NAMES[module] if not hasattr(loaded, name)] == []
    assert set(NAMES[module]) <= set(dir(loaded))
