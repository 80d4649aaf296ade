"""A pair of the settings is sent for its own Company and for no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from wosdk_async import Client, ConfigurationError, Credentials

PAIR = {"WOSDK_CLIENT_ID": "usual-id", "WOSDK_CLIENT_SECRET": "usual-secret"}
OWN = Credentials("other-id", "other-secret")
REFUSED = r"^the settings contain the credentials of 'Usual', not of 'Other'; pass credentials="


@pytest.fixture(params=["variables", "file of the secret", "default profile", "named profile"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Variables that lead to a pair of the Company "Usual"."""
    secret, config = tmp_path / "secret", tmp_path / "config.toml"
    if request.param == "variables":
        return {**PAIR, "WOSDK_COMPANY": "Usual"}
    if request.param == "file of the secret":
        secret.write_text("usual-secret", encoding="utf-8")
        return {
            "WOSDK_COMPANY": "Usual",
            "WOSDK_CLIENT_ID": "usual-id",
            "WOSDK_CLIENT_SECRET_FILE": str(secret),
        }
    name = "default" if request.param == "default profile" else "usual"
    lines = (f"[profiles.{name}]", 'company = "Usual"', 'client_id = "a"', 'client_secret = "b"')
    config.write_text("\n".join(lines), encoding="utf-8")
    config.chmod(0o600)
    return {"WOSDK_CONFIG": str(config)} | ({} if name == "default" else {"WOSDK_PROFILE": name})


def test_the_pair_of_the_settings_is_for_their_company(settings: dict[str, str]) -> None:
    client = Client.from_env(settings)
    assert client.company().name == client.company("Usual").name == "Usual"
    assert client.company("USUAL").name == "USUAL"  # the service ignores letter case
    with pytest.raises(ConfigurationError, match=REFUSED) as caught:
        client.company("Other")
    assert "usual-secret" not in str(caught.value)
    assert client.company("Other", credentials=OWN).name == "Other"


def test_credentials_of_the_program_are_for_each_company(settings: dict[str, str]) -> None:
    assert Client.from_env(settings, credentials=OWN).company("Other").name == "Other"
    assert Client.from_env(PAIR).company("Other").name == "Other"  # no Company is named beside them


def test_a_company_that_an_argument_names_is_that_of_the_pair() -> None:
    client = Client.from_env({**PAIR, "WOSDK_COMPANY": "Left"}, company="Usual")
    assert client.company("Usual").name == "Usual"
    with pytest.raises(ConfigurationError, match=REFUSED):
        client.company("Other")


def test_a_command_serves_each_company() -> None:
    """It gets the name of the Company that asks."""
    command = {"WOSDK_COMPANY": "Usual", "WOSDK_CREDENTIALS_COMMAND": "vault-read acme"}
    assert Client.from_env(command).company("Other").name == "Other"
