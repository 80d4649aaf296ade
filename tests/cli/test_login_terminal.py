"""``wosdk login`` on a terminal: what is asked, and asked again, and what Ctrl-C leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.login import SECRET, given, profiles
from tests.cli.terminal import Terminal


def test_on_a_terminal_everything_is_asked(company: dict[str, str], tmp_path: Path) -> None:
    """The secret is not shown; the region has a default."""
    terminal = Terminal("login")
    terminal.answer(
        ("Company:", company["WOSDK_COMPANY"]),
        ("[americas]:", ""),
        ("Client id:", company["WOSDK_CLIENT_ID"]),
        ("hidden):", company[SECRET]),
    )
    assert terminal.end() == 0
    assert company[SECRET] not in terminal.shown
    assert profiles(tmp_path)["default"]["region"] == "americas"
    assert (tmp_path / "wosdk" / "default.secret").exists()


def test_only_what_was_wrong_is_asked_again(company: dict[str, str], tmp_path: Path) -> None:
    """Answers that were right stay, and Enter keeps one; what options say is never asked."""
    terminal = Terminal("login", "--client-id", company["WOSDK_CLIENT_ID"])
    terminal.answer(
        ("Company:", "Nobody"),
        ("[americas]:", ""),
        ("hidden):", "wrong-secret-1"),
        ("hidden):", company[SECRET]),
        ("Company [Nobody]:", company["WOSDK_COMPANY"]),
        ("[americas]:", ""),
    )
    assert terminal.end() == 0
    assert (terminal.shown.count("Client secret"), terminal.shown.count("Region")) == (2, 2)
    assert "Client id" not in terminal.shown
    assert "wrong-secret-1" not in terminal.shown
    assert profiles(tmp_path)["default"]["company"] == company["WOSDK_COMPANY"]
    assert (tmp_path / "wosdk" / "default.secret").read_text(encoding="utf-8") == f"{company[SECRET]}\n"


def test_a_secret_that_was_right_is_kept_by_enter(company: dict[str, str], tmp_path: Path) -> None:
    """The pair is refused as a whole, and the service does not say which half of it is wrong."""
    terminal = Terminal("login", "--company", company["WOSDK_COMPANY"], "--region", "americas")
    terminal.answer(
        ("Client id:", "wrong"),
        ("hidden):", company[SECRET]),
        ("Client id [wrong]:", company["WOSDK_CLIENT_ID"]),
        ("hidden):", ""),
    )
    assert terminal.end() == 0
    assert company[SECRET] not in terminal.shown
    assert profiles(tmp_path)["default"]["client_id"] == company["WOSDK_CLIENT_ID"]


def test_no_leaves_the_profile_as_it_is(company: dict[str, str], tmp_path: Path) -> None:
    """Questions offer what the profile has; the answer no is status 1."""
    (tmp_path / "wosdk").mkdir()
    before = f'[profiles.default]\ncompany = "{company["WOSDK_COMPANY"]}"\nregion = "emea"\n'
    (tmp_path / "wosdk" / "config.toml").write_text(before, encoding="utf-8")
    terminal = Terminal("login", *given(company)[2:], "--client-secret-file", str(tmp_path / "secret"))
    terminal.answer((f"[{company['WOSDK_COMPANY']}]:", ""), ("[emea]:", ""), ("Change it?", "n"))
    assert terminal.end() == 1
    assert (tmp_path / "wosdk" / "config.toml").read_text(encoding="utf-8") == before


@pytest.mark.parametrize("questions", [1, 4])
def test_ctrl_c_at_each_question_writes_nothing(
    company: dict[str, str], tmp_path: Path, questions: int
) -> None:
    """The status is that of an interruption."""
    terminal = Terminal("login")
    answers = {"Company:": "A", "[americas]:": "", "Client id:": "b", "hidden):": ""}
    *answered, last = list(answers)[:questions]
    terminal.answer(*((question, answers[question]) for question in answered))
    terminal.until(last)
    terminal.interrupt()
    assert terminal.end() == 130
    assert "interrupted" in terminal.shown
    assert not (tmp_path / "wosdk").exists()
