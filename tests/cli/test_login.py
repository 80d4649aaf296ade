"""``wosdk login``: credentials are tried, and only those that work become a profile."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk
from tests.cli.login import SECRET, forget_addresses, given, profiles


def test_the_default_profile_is_used_when_nothing_else_is_set(
    wosdk: Wosdk, company: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The profile names the secret's file, and after it every command needs no variable."""
    result = wosdk("login", *given(company), "--client-secret-file", tmp_path / "secret")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "saved profile 'default' in" in result.stderr
    assert company[SECRET] not in result.stderr
    assert profiles(tmp_path)["default"]["client_secret_file"] == str(tmp_path / "secret")
    assert stat.S_IMODE((tmp_path / "wosdk" / "config.toml").stat().st_mode) == 0o600
    assert not (tmp_path / "wosdk" / "default.secret").exists()
    forget_addresses(monkeypatch)
    assert wosdk("get", "Customer", "512").exit_code == 0
    monkeypatch.setenv("WOSDK_REGION", "emea")  # the variables say where to go: the profile is not mixed in
    assert wosdk("get", "Customer", "512").exit_code == 2


def test_a_secret_of_stdin_has_a_file_of_its_own(
    wosdk: Wosdk, company: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """For its owner only; the settings file does not hold it."""
    options = ("--profile", "stage", *given(company), "--client-secret-file", "-")
    result = wosdk("login", *options, input=f"{company[SECRET]}\n")
    assert result.exit_code == 0
    kept = tmp_path / "wosdk" / "stage.secret"
    assert kept.read_text(encoding="utf-8") == f"{company[SECRET]}\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert company[SECRET] not in (tmp_path / "wosdk" / "config.toml").read_text(encoding="utf-8")
    assert company[SECRET] not in result.stderr
    forget_addresses(monkeypatch)
    assert wosdk("--profile", "stage", "get", "Customer", "512").exit_code == 0


def test_a_command_keeps_the_secret_nowhere(wosdk: Wosdk, company: dict[str, str], tmp_path: Path) -> None:
    """The pair is what it prints; --list shows the kind alone."""
    pair = f'{{"client_id": "{company["WOSDK_CLIENT_ID"]}", "client_secret": "{company[SECRET]}"}}'
    (tmp_path / "pair").write_text(pair, encoding="utf-8")
    options = ("--company", company["WOSDK_COMPANY"], "--credentials-command", f"cat {tmp_path / 'pair'}")
    assert wosdk("login", *options).exit_code == 0
    assert sorted(os.listdir(tmp_path / "wosdk")) == ["config.toml"]
    assert "client_id" not in profiles(tmp_path)["default"]
    listed = wosdk("login", "--list").stdout
    assert listed.split() == ["default", company["WOSDK_COMPANY"], "credentials_command"]


def test_variables_are_taken_and_named(
    wosdk: Wosdk, seeded: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They come before the profile while they are set, which is said."""
    monkeypatch.setenv("WOSDK_CONFIG", str(tmp_path / "wosdk" / "config.toml"))
    result = wosdk("login")
    assert result.exit_code == 0
    assert "override the profile: WOSDK_COMPANY, WOSDK_CLIENT_ID, WOSDK_CLIENT_SECRET" in result.stderr
    assert seeded[SECRET] not in result.stderr


@pytest.mark.parametrize(
    ("changed", "status", "message"),
    [
        ({"--company": "Nobody"}, 5, "does not know 'Nobody'"),
        ({"--client-id": "wrong"}, 5, "refused the credentials"),
        ({"--client-secret-file": "none"}, 2, "the secret cannot be read from"),
        ({"--profile": "a b"}, 2, "use 1 to 64 letters"),
        ({"--profile": "../x"}, 2, "use 1 to 64 letters"),
    ],
)
def test_what_does_not_work_is_not_written(
    wosdk: Wosdk, company: dict[str, str], tmp_path: Path, changed: dict[str, str], status: int, message: str
) -> None:
    """The step that failed says what to do."""
    options = dict(zip(given(company)[::2], given(company)[1::2], strict=True))
    options |= {"--client-secret-file": str(tmp_path / "secret")} | changed
    result = wosdk("login", *[word for pair in options.items() for word in pair])
    assert result.exit_code == status
    assert message in result.stderr
    assert not (tmp_path / "wosdk").exists()


def test_without_a_terminal_the_missing_options_are_named(wosdk: Wosdk, company: dict[str, str]) -> None:
    """Nothing is asked, and an empty stdin is no secret."""
    result = wosdk("login", "--company", company["WOSDK_COMPANY"])
    assert result.exit_code == 2
    assert "add --client-id, --client-secret-file FILE|- or --credentials-command COMMAND" in result.stderr
    result = wosdk("login", *given(company), "--client-secret-file", "-", input="\n")
    assert (result.exit_code, "the first line of stdin is empty" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("variable", "hint"), [(None, "run `wosdk login`"), ("WOSDK_TOKEN_URL", "unset WOSDK_TOKEN_URL")]
)
def test_a_company_that_is_missing_is_a_matter_of_login(
    wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str | None, hint: str
) -> None:
    """A variable that was left over keeps the profile from being read, and is named."""
    path = tmp_path / "config.toml"
    monkeypatch.setenv("WOSDK_CONFIG", str(path))
    if variable is not None:
        path.write_text('[profiles.default]\ncompany = "Acme"\n', encoding="utf-8")
        monkeypatch.setenv(variable, "https://token.example/")
    for command in (("query", "WorkOrder"), ("check",)):
        result = wosdk(*command)
        assert (result.exit_code, hint in result.output) == (2, True)
