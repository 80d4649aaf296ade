"""The command that switches protections off says of each switch what its tests did."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security import __main__ as command
from tests.security.switches import Switch

SOURCE = "LIMIT = 3\n\n\ndef fits(size):\n    return size <= LIMIT\n"
TESTS = """
from limits import fits

def test_noticed():
    assert not fits(4)

def test_blind():
    assert fits(1)
"""
NOTICED, BLIND = "test_limits.py::test_noticed", "test_limits.py::test_blind"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "limits.py").write_text(SOURCE)
    (tmp_path / "test_limits.py").write_text(TESTS)
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    return tmp_path


def switch(new: str, *tests: str) -> Switch:
    return Switch(id="limit", file="limits.py", old="size <= LIMIT", new=new, tests=tests)


@pytest.mark.parametrize(
    ("new", "tests", "problem"),
    [
        ("True", (NOTICED,), ""),
        ("True", (NOTICED, BLIND), f"passes without the protection: {BLIND}"),
        ("size <= MISSING", (NOTICED,), "the edit breaks the code"),
        ("size <=", (NOTICED,), "the tests cannot be collected"),
    ],
)
def test_what_the_tests_did_without_the_protection(
    copy: Path, monkeypatch: pytest.MonkeyPatch, new: str, tests: tuple[str, ...], problem: str
) -> None:
    monkeypatch.setattr(command, "PLUGINS", ())  # these tests need none
    found, reason = command.without(switch(new, *tests), copy)
    assert found.startswith(problem)
    assert bool(found) == bool(problem) != bool(reason)
    assert (copy / "limits.py").read_text() == SOURCE


@pytest.mark.parametrize(
    ("runs", "status"),
    [
        ([(0, ""), (1, f"FAILED {NOTICED} - assert not True")], 0),
        ([(0, ""), (0, "")], 1),
        ([(4, "not found: test_gone")], 1),
    ],
    ids=["noticed", "blind", "gone"],
)
def test_the_status_says_whether_each_protection_has_a_test(
    copy: Path, monkeypatch: pytest.MonkeyPatch, runs: list[tuple[int, str]], status: int
) -> None:
    """Its tests run with the protection, and without it; what they print is given here."""
    ended = iter(runs)
    monkeypatch.setattr(command, "run_tests", lambda *_: next(ended))
    assert command.check([switch("True", NOTICED)], [copy]) == status
