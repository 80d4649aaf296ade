"""``wosdk login`` where there is a profile already: what changes, what stays, what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk, full_disk
from tests.cli.login import SECRET, forget_addresses, given, old_profile, profiles


def test_an_existing_profile_changes_only_when_asked_for(
    wosdk: Wosdk, company: dict[str, str], tmp_path: Path
) -> None:
    """What changes is shown; without a terminal --yes is needed."""
    (tmp_path / "wosdk").mkdir()
    before = '# mine\n[profiles.default]\ncompany = "Old"\nclient_secret = "old-secret-value"\n'
    (tmp_path / "wosdk" / "config.toml").write_text(before, encoding="utf-8")
    command = ("login", *given(company), "--client-secret-file", tmp_path / "secret")
    result = wosdk(*command)
    assert result.exit_code == 2
    assert f"company: Old -> {company['WOSDK_COMPANY']}" in result.stderr
    assert "client_secret: (a secret) -> not set" in result.stderr
    assert "old-secret-value" not in result.stderr
    assert "add --yes" in result.stderr
    assert (tmp_path / "wosdk" / "config.toml").read_text(encoding="utf-8") == before
    assert wosdk(*command, "--yes").exit_code == 0
    text = (tmp_path / "wosdk" / "config.toml").read_text(encoding="utf-8")
    assert text.startswith("# mine\n")
    assert "old-secret-value" not in text
    again = wosdk(*command)
    assert (again.exit_code, " -> " in again.stderr) == (0, False)


def test_a_settings_file_that_is_broken_is_named_first(
    wosdk: Wosdk, company: dict[str, str], tmp_path: Path
) -> None:
    """Nothing is asked or sent, and nothing of the file is shown."""
    (tmp_path / "wosdk").mkdir()
    (tmp_path / "wosdk" / "config.toml").write_text('client_secret = "abc-secret\n', encoding="utf-8")
    result = wosdk("login", *given(company))
    assert result.exit_code == 2
    assert "is not valid TOML; fix or remove the file" in result.stderr
    assert "abc-secret" not in result.stderr


@pytest.mark.parametrize("key", ["company", "region"])
def test_addresses_of_another_profile_get_no_secret(
    wosdk: Wosdk, company: dict[str, str], tmp_path: Path, key: str
) -> None:
    """They are left out, which is said; the region's own are used, here those of the environment."""
    old = {"company": company["WOSDK_COMPANY"], "region": "americas"} | {key: "emea"}
    lines = [f'{name} = "{value}"\n' for name, value in old.items()]
    evil = 'token_url = "https://old.example/token"\nlocator_url = "https://old.example"\n'
    old_profile(tmp_path, "[profiles.default]\n" + "".join(lines) + evil)
    options = (*given(company), "--region", "americas", "--client-secret-file", tmp_path / "secret")
    result = wosdk("login", *options, "--yes")
    assert result.exit_code == 0, result.stderr
    assert "token_url of the old profile is skipped" in result.stderr
    assert "old.example" not in str(profiles(tmp_path))
    assert profiles(tmp_path)["default"]["region"] == "americas"


def test_addresses_of_the_same_company_stay_and_are_shown(
    wosdk: Wosdk, company: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A second log-in of the same Company goes where the first one went, in the region of the first."""
    command = ("login", *given(company), "--client-secret-file", tmp_path / "secret", "--yes")
    monkeypatch.setenv("WOSDK_REGION", "emea")
    assert wosdk(*command).exit_code == 0
    monkeypatch.delenv("WOSDK_REGION")
    before, url = profiles(tmp_path), os.environ["WOSDK_TOKEN_URL"]
    forget_addresses(monkeypatch)
    result = wosdk(*command)
    assert (result.exit_code, profiles(tmp_path)) == (0, before)
    assert result.stderr.index(f"token_url: '{url}'") < result.stderr.index("token  ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[profiles.default]\ncompanie = "x"\n', "profiles.default.companie is not a setting"),
        ("[profiles.default]\ncompany = 7\n", "profiles.default.company is an int; it must be text"),
        ("profiles = 7\n", "cannot be edited automatically"),
    ],
)
def test_a_profile_that_could_not_be_used_is_refused_first(
    wosdk: Wosdk, company: dict[str, str], tmp_path: Path, text: str, message: str
) -> None:
    """Before a secret is asked for, read or sent."""
    old_profile(tmp_path, text)
    result = wosdk("login", *given(company), "--client-secret-file", "-", "--yes", input="\n")
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert result.stderr.count("\n") == 1  # neither a word of stdin, which has no secret, nor a step


def test_a_new_secret_replaces_the_old_one_last(
    wosdk: Wosdk, company: dict[str, str], tmp_path: Path
) -> None:
    """When the settings cannot be written, the old profile has its secret still, and no other is left."""
    command = ("login", *given(company), "--client-secret-file", "-", "--yes")
    assert wosdk(*command, input=f"{company[SECRET]}\n").exit_code == 0
    old = Path(profiles(tmp_path)["default"]["client_secret_file"])
    before = old.read_bytes()
    with full_disk():
        result = wosdk(*command, input=f"{company[SECRET]}\n")
    assert (result.exit_code, "cannot be written" in result.stderr) == (2, True)
    assert (old.read_bytes(), len(os.listdir(old.parent))) == (before, 2)
    assert wosdk(*command, input=f"{company[SECRET]}\n").exit_code == 0
    new = Path(profiles(tmp_path)["default"]["client_secret_file"])
    assert (new != old, new.exists(), old.exists()) == (True, True, False)


def test_without_a_terminal_a_refused_answer_ends_it(
    wosdk: Wosdk, company: dict[str, str], tmp_path: Path
) -> None:
    """Also the region of the old profile, which no option gave."""
    old_profile(tmp_path, '[profiles.default]\ncompany = "Nobody"\nregion = "americas"\n')
    options = ("--company", "Nobody", *given(company)[2:], "--client-secret-file", tmp_path / "secret")
    result = wosdk("login", *options, input="americas\n" * 3)
    assert (result.exit_code, "Region" in result.output) == (5, False)
