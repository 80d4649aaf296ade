"""What a type checker knows of names that are loaded at first use: the right ones, their types, no others."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import wosdk_async
import wosdk_async.model
import wosdk_async.testing
from tests.support.mypy import strict

LAZY = ("wosdk_async", "wosdk_async.model", "wosdk_async.testing")
NAMES = {
    "wosdk_async": sorted({*wosdk_async.__all__, *wosdk_async.model.__all__}),
    "wosdk_async.model": wosdk_async.model.__all__,
    "wosdk_async.testing": wosdk_async.testing.__all__,
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What mypy prints of the programs of users, outside the project: by file, without the path."""
    folder = tmp_path_factory.mktemp("programs")
    every = []
    for module in LAZY:
        every += [f"import {module}", f"from {module} import {', '.join(NAMES[module])}"]
        every += [f"reveal_type({module}.{name})" for name in NAMES[module]]
        wrong = [f"from {module} import WorkOrdr", f"import {module} as m", "print(m.Sandbx)"]
        (folder / f"{module.replace('.', '_')}_wrong.py").write_text("\n".join(wrong), encoding="utf-8")
    (folder / "every_name.py").write_text("\n".join(every), encoding="utf-8")
    found: dict[str, list[str]] = {path.stem: [] for path in folder.iterdir()}
    for line in strict(*sorted(folder.iterdir())):
        place, _, text = line.partition(": ")
        found[Path(place.partition(":")[0]).stem].append(text)
    return found


def test_every_name_has_a_type(printed: dict[str, list[str]]) -> None:
    """Imported by name or read from the module; none is of the type Any."""
    found = printed["every_name"]
    assert [line for line in found if not line.startswith("note: Revealed type is ")] == []
    assert [line for line in found if re.search(r'is "(Any|Unknown.*)"$', line)] == []
    assert len(found) == sum(map(len, NAMES.values())) > 600


@pytest.mark.parametrize("module", LAZY)
def test_a_wrong_name_is_an_error(module: str, printed: dict[str, list[str]]) -> None:
    """A misspelt import, and a misspelt attribute of the module."""
    found = printed[f"{module.replace('.', '_')}_wrong"]
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
