"""The Python of README and docs: every block runs against a local Company and passes mypy."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs import modules
from tests.docs.pages import Block
from tests.docs.prelude import given
from tests.support.mypy import strict
from tests.support.preloaded import run_pytest
from wosdk_async import Client
from wosdk_async.options.hooks import warn_of
from wosdk_async.sandbox import LocalCompany


@pytest.fixture(scope="module")
def local() -> Iterator[LocalCompany]:
    with LocalCompany() as company:
        yield company


@pytest.fixture
def fresh(local: LocalCompany, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> LocalCompany:
    """A new Company that the environment names, and an empty directory."""
    local.reset()
    for name, value in local.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "belt.jpg").write_bytes(b"a picture")
    (tmp_path / "contract.pdf").write_bytes(b"a contract")
    (tmp_path / "photos").mkdir()
    return local


WRONG = {
    "wrong_fragment.py": modules.module(
        Block("x.md", 1, "python", "", "print(order.nunber, order.customer.name)\n", closed=True)
    ),
    "wrong_test.py": "async def test_it(wosdk_company):\n    pass\n",
}


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The output of mypy for all blocks and two wrong modules."""
    folder = tmp_path_factory.mktemp("blocks")
    for name, text in (modules.modules() | WRONG).items():
        (folder / name).write_text(text, encoding="utf-8")
    return strict(*sorted(folder.glob("*.py")))


def test_all_of_it_has_the_right_types(complaints: list[str]) -> None:
    """A copied block passes a strict type checker."""
    assert [line for line in complaints if not any(name in line for name in WRONG)] == []


def test_a_mistake_in_a_block_is_found(complaints: list[str]) -> None:
    """A misspelt name and a field that may be None; a test without types, whose body is not checked."""
    found = [line for line in complaints if "wrong_fragment.py" in line]
    assert any('"WorkOrder" has no attribute "nunber"' in line for line in found)
    assert any('"None" of "Customer | None" has no attribute "name"' in line for line in found)
    found = [line for line in complaints if "wrong_test.py" in line]
    assert any("Function is missing a type annotation" in line for line in found)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("block", modules.fragments(), ids=lambda block: block.name)
async def test_a_fragment_runs(block: Block, caplog: pytest.LogCaptureFixture) -> None:
    """With the names of the prelude, and without warnings in the log."""
    names: dict[str, Any] = {"__name__": block.name}
    exec(compile(modules.module(block), block.name, "exec"), names)  # noqa: S102
    async with Client.from_env() as client:
        start = await given(client)
        await names["example"](**{name: getattr(start, name) for name in modules.taken(block)})
    lost = [record for record in caplog.records if record.funcName == warn_of.__name__]
    assert not lost or "carried_out" in block.text, "only a fragment about lost responses is warned of them"
    warned = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(warned) == len(lost), warned


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("block", modules.programs(), ids=lambda block: block.name)
def test_a_program_runs(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    """Unchanged, against a new Company, without this file's ``__future__`` imports."""
    program = compile(block.text, block.name, "exec", dont_inherit=True)
    exec(program, {"__name__": "__main__"})  # noqa: S102
    assert capsys.readouterr().err == ""


def test_the_tests_of_the_pages_pass(tmp_path: Path) -> None:
    """In their own process, with only the settings of docs/testing.md."""
    count = modules.write_tests(tmp_path)
    printed = run_pytest(tmp_path)
    assert count > 10
    assert f"{count} passed" in printed, printed
