"""Arguments, then the environment, then a profile; credentials from wherever they are kept."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
import shlex
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.frames import chained
from tests.support.laws import each_of
from tests.support.service import COMPANY, SECRET, Service
from tests.support.users import make_foreign
from wosdk_async import Client, ConfigurationError, Credentials, InvalidCallError, Region, problem_of
from wosdk_async.settings.environment import Settings, from_command, from_file
from wosdk_async.text.remedies import Remedy

PROFILES = """
[profiles.stage]
company = "Acme Stage"
region = "emea"
client_id = "file-id"
client_secret = "file-secret"
trusted_hosts = ["a.example", "b.example"]

[profiles.odd]
companie = "x"

[profiles.number]
company = 7
"""


@pytest.fixture
def config(tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "config.toml"
    path.write_text(PROFILES, encoding="utf-8")
    return {"WOSDK_CONFIG": str(path)}


def test_a_profile_says_what_the_environment_does_not(config: dict[str, str]) -> None:
    """The environment comes before the file; a named profile before WOSDK_PROFILE."""
    found = Settings.from_env({**config, "WOSDK_PROFILE": "stage", "WOSDK_COMPANY": "Mine"})
    assert (found.company, found.region.name) == ("Mine", "emea")
    assert found.credentials == Credentials("file-id", "file-secret")
    assert found.trusted_hosts == ("a.example", "b.example")
    assert Settings.from_env({**config, "WOSDK_PROFILE": "odd"}, profile="stage").company == "Acme Stage"


def test_a_profile_that_is_passed_applies_without_the_variables(config: dict[str, str]) -> None:
    """They may belong to another Company: no pair, region or address of them is mixed in."""
    variables = {
        "WOSDK_COMPANY": "Mine",
        "WOSDK_REGION": "apac",
        "WOSDK_CLIENT_ID": "my-id",
        "WOSDK_CLIENT_SECRET": "my-secret",
        "WOSDK_TOKEN_URL": "http://localhost:1/",
        "WOSDK_LOCATOR_URL": "http://localhost:1/",
        "WOSDK_TRUSTED_HOSTS": "mine.example",
    }
    assert Settings.from_env({**config, **variables}, profile="stage") == Settings.from_env(
        config, profile="stage"
    )
    with open(config["WOSDK_CONFIG"], "a", encoding="utf-8") as file:
        file.write('[profiles.part]\nclient_id = "file-id"\nclient_secret_file = "/run/secrets/part"\n')
    found = Settings.from_env({**config, **variables}, profile="part")
    assert (found.company, found.region, found.trusted_hosts) == (None, Region.AMERICAS, ())
    assert not isinstance(found.credentials, Credentials)
    assert Settings.from_env({**config, **variables}, profile="part", company="Mine").company == "Mine"
    with open(config["WOSDK_CONFIG"], "a", encoding="utf-8") as file:
        file.write('[profiles.half]\nclient_id = "file-id"\n')
    with pytest.raises(ConfigurationError, match="in the profile 'half'"):  # not "is not set": it is
        Settings.from_env({**config, **variables}, profile="half")


@pytest.mark.parametrize("passed", [True, False])
def test_what_a_profile_lacks_is_missing_from_the_profile(config: dict[str, str], passed: bool) -> None:
    """The message names it and its file if it was passed, because the variables do not count then."""
    with open(config["WOSDK_CONFIG"], "a", encoding="utf-8") as file:
        file.write('[profiles.pair]\nclient_id = "a"\nclient_secret = "b"\n[profiles.name]\ncompany = "C"\n')
    seen = []
    for name, variable in (("pair", "WOSDK_COMPANY"), ("name", "WOSDK_CREDENTIALS_COMMAND")):
        variables = {**config, variable: "Acme"} if passed else {**config, "WOSDK_PROFILE": name}
        with pytest.raises(ConfigurationError) as caught:
            Client.from_env(variables, profile=name if passed else None).company()
        described = f"profile {name!r} in {config['WOSDK_CONFIG']}, which replaces the environment variables"
        assert (described in caught.value.message) is passed
        seen += caught.value.remedies
    in_profile = [Remedy.COMPLETE_PROFILE] * 2
    assert seen == (in_profile if passed else [Remedy.COMPANY_NAME, Remedy.CREDENTIALS])


@pytest.mark.parametrize(
    ("mode", "profile", "warned"),
    [(0o600, "stage", 0), (0o400, "stage", 0), (0o640, "stage", 1), (0o604, "odd", 1), (0o644, "number", 1)],
)
def test_a_settings_file_that_others_can_read(
    config: dict[str, str], mode: int, profile: str, warned: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Where any profile in it holds a secret: one warning with the remedy, and the settings work."""
    path = Path(config["WOSDK_CONFIG"])
    path.chmod(mode)
    for _ in range(3):
        with contextlib.suppress(ConfigurationError):
            Settings.from_env(config, profile=profile)
    texts = [record.getMessage() for record in caplog.records]
    assert len(texts) == warned
    for text in texts:
        assert f"chmod 600 {path}" in text
        assert "file-secret" not in text


def test_a_settings_file_without_a_secret_is_anybodys(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A path or a command is not a secret."""
    path = tmp_path / "config.toml"
    path.write_text(
        '[profiles.a]\nclient_id = "x"\nclient_secret_file = "/run/secrets/a"\n', encoding="utf-8"
    )
    path.chmod(0o644)
    Settings.from_env({"WOSDK_CONFIG": str(path)}, profile="a")
    assert not caplog.records


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_command_that_others_can_change_is_not_run(
    tmp_path: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A settings file that others can write: its command is refused, other settings are warned of once."""
    path = tmp_path / "config.toml"
    path.write_text(
        '[profiles.run]\ncredentials_command = "print-pair"\n[profiles.other]\ncompany = "Acme"\n',
        encoding="utf-8",
    )
    path.chmod(mode)
    env = {"WOSDK_CONFIG": str(path)}
    with pytest.raises(ConfigurationError) as caught:
        Settings.from_env(env, profile="run")
    assert f"chmod go-w {path}" in str(caught.value)
    assert not caplog.records
    for _ in range(2):
        assert Settings.from_env(env, profile="other").company == "Acme"
    assert [f"chmod go-w {path}" in record.getMessage() for record in caplog.records] == [True]
    path.chmod(0o644)
    assert Settings.from_env(env, profile="run").credentials is not None


@pytest.mark.parametrize(("mode", "refused"), [(0o777, True), (0o775, True), (0o1777, False), (0o755, False)])
@pytest.mark.parametrize("place", ["file", "link", "target of a link"])
def test_others_can_replace_a_file_in_a_folder_that_they_can_write(
    tmp_path: Path, mode: int, refused: bool, place: str
) -> None:
    """Unless the folder is sticky, as /tmp is. The folder of a link counts like that of its target."""
    (open_to, closed) = tmp_path / "open", tmp_path / "closed"
    for each in (open_to, closed):
        each.mkdir(mode=0o755)
    written = (closed if place == "link" else open_to) / "config.toml"
    written.write_text('[profiles.run]\ncredentials_command = "print-pair"\n', encoding="utf-8")
    written.chmod(0o600)
    named = written if place == "file" else (open_to if place == "link" else closed) / "linked.toml"
    if place != "file":
        named.symlink_to(written)
    open_to.chmod(mode)
    if refused:
        with pytest.raises(ConfigurationError) as caught:
            Settings.from_env({"WOSDK_CONFIG": str(named)}, profile="run")
        assert f"chmod go-w {open_to}" in str(caught.value)
    else:
        assert Settings.from_env({"WOSDK_CONFIG": str(named)}, profile="run").credentials is not None


@pytest.mark.parametrize(("mode", "warned"), [(0o600, 0), (0o400, 0), (0o644, 1), (0o660, 1), (0o602, 1)])
async def test_a_secret_that_others_can_read_or_change(
    tmp_path: Path, mode: int, warned: int, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning with the remedy, and the secret is used."""
    path = tmp_path / "secret"
    path.write_text("hush-hush", encoding="utf-8")
    path.chmod(mode)
    for _ in range(2):
        assert (await from_file("id", path)("Acme")).client_secret.reveal() == "hush-hush"
    assert [f"chmod 600 {path}" in record.getMessage() for record in caplog.records] == [True] * warned


@pytest.mark.parametrize("place", ["file", "folder", "sticky folder"])
async def test_a_file_of_another_user(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its owner can change it, whatever its mode is: a command is not run, a secret is warned of."""
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o755)
    config, secret = folder / "config.toml", folder / "secret"
    config.write_text('[profiles.run]\ncredentials_command = "print-pair"\n', encoding="utf-8")
    secret.write_text("hush-hush", encoding="utf-8")
    for each in (config, secret):
        each.chmod(0o600)
    if place == "sticky folder":
        folder.chmod(0o1777)
    for each in (config, secret) if place == "file" else (folder,):
        make_foreign(each, monkeypatch)
    with pytest.raises(ConfigurationError, match=r"is not run, .* belongs to another user"):
        Settings.from_env({"WOSDK_CONFIG": str(config)}, profile="run")
    assert (await from_file("id", secret)("Acme")).client_secret.reveal() == "hush-hush"
    assert ["belongs to another user" in record.getMessage() for record in caplog.records] == [True]


def no_secret_behind(error: BaseException, secret: str) -> None:
    for each in chained(error):
        assert secret not in repr((str(each), each.args, vars(each), getattr(each, "object", b"")))


def test_a_secret_that_is_not_utf_8() -> None:
    """As the environment gives it, and out of a settings file: refused, without the secret in any cause."""
    env = {"WOSDK_CLIENT_ID": "id-1", "WOSDK_CLIENT_SECRET": os.fsdecode(b"hush-\xff-hush")}
    with pytest.raises(ConfigurationError, match="client_secret is not UTF-8 text") as caught:
        Settings.from_env(env)
    no_secret_behind(caught.value, "hush")


DEEP = b"a = " + b"[" * 50_000


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "WOSDK_CONFIG.* No such file"),
        (b"[profiles", "is not TOML"),
        (b'[profiles.a]\nclient_secret = "hush\xff"', "is not TOML"),
        (b'[profiles.a]\nclient_secret = "hush', "is not TOML"),
        (DEEP, "is not TOML: .* nested"),
        (DEEP + b"]" * 50_000, "is not TOML: .* nested"),
        (b"a = " + b"9" * 5000, "is not TOML: Exceeds the limit"),
    ],
)
def test_a_settings_file_that_cannot_be_read(content: bytes | None, told: str, tmp_path: Path) -> None:
    """It is named, and not shown: it may hold secrets."""
    path = tmp_path / "none.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=f"none.toml .*{told}") as caught:
        Settings.from_env({"WOSDK_CONFIG": str(path)}, profile="a")
    no_secret_behind(caught.value, "hush")


def test_without_a_profile_no_file_is_read() -> None:
    """A settings file that nobody asks for does not matter; one that WOSDK_CONFIG names has to be there."""
    missing = {"WOSDK_CONFIG": "/does/not/exist"}
    assert Settings.from_env({"XDG_CONFIG_HOME": "/does/not/exist"}).company is None
    assert Settings.from_env(missing | {"WOSDK_COMPANY": "A", "WOSDK_REGION": "emea"}).company == "A"
    with pytest.raises(ConfigurationError) as it:
        Settings.from_env(missing)
    assert it.value.remedies == (Remedy.SETTINGS_FILE,)


def test_the_usual_place_of_the_file(tmp_path: Path) -> None:
    """XDG_CONFIG_HOME is where it is looked for."""
    path = tmp_path / "wosdk" / "config.toml"
    path.parent.mkdir()
    path.write_text(PROFILES, encoding="utf-8")
    assert Settings.from_env({"XDG_CONFIG_HOME": str(tmp_path)}, profile="stage").company == "Acme Stage"


@pytest.mark.parametrize(
    ("profile", "told"),
    [
        ("nope", r"no \[profiles.nope\]; it has stage, odd, number"),
        ("odd", "config.toml: profiles.odd.companie is not a setting; did you mean 'company'"),
        ("number", "profiles.number.company is an int; it must be text"),
    ],
)
def test_a_profile_that_cannot_be_used(config: dict[str, str], profile: str, told: str) -> None:
    """File, key and remedy are named."""
    with pytest.raises(ConfigurationError, match=told):
        Settings.from_env(config, profile=profile)


def environ(service: Service, **more: str) -> dict[str, str]:
    region = service.region()
    return {
        "WOSDK_TOKEN_URL": region.token_url,
        "WOSDK_LOCATOR_URL": region.locator_url,
        "WOSDK_COMPANY": COMPANY,
    } | more


PASSED = Credentials("passed-id", "passed-secret")


def test_what_is_passed_comes_first(config: dict[str, str]) -> None:
    """Before the environment and the profile, each by itself; None leaves it to them."""
    env = {**config, "WOSDK_PROFILE": "stage", "WOSDK_TRUSTED_HOSTS": "c.example"}
    mine = Region("mine", locator_url="https://mine.example", token_url="https://mine.example/token")
    found = Settings.from_env(
        env, company="Mine", credentials=PASSED, region=mine, trusted_hosts=["d.example"]
    )
    assert found == Settings(company="Mine", credentials=PASSED, region=mine, trusted_hosts=("d.example",))
    assert Settings.from_env(env, trusted_hosts=()).trusted_hosts == ()
    with pytest.raises(ConfigurationError, match=r"trusted_hosts is 'd.example'; it must be a list"):
        Settings.from_env(env, trusted_hosts="d.example")
    left = Settings.from_env(env, company="Mine")
    assert (left.company, left.region.name, left.trusted_hosts) == ("Mine", "emea", ("c.example",))
    assert left.credentials == Credentials("file-id", "file-secret")


@each_of("url", ["http://127.0.0.1:8000", "https://localhost:8000", "http://wosdk.acme.example"])
@each_of(("given", "other"), [("TOKEN_URL", "LOCATOR_URL"), ("LOCATOR_URL", "TOKEN_URL")])
def test_half_of_the_addresses_of_a_service_of_ones_own(given: str, other: str, url: str) -> None:
    """The other half would be the real service's. A private locator with the vendor's token host may be."""
    env = {f"WOSDK_{given}": url, "WOSDK_TRUSTED_HOSTS": "acme.example"}
    with pytest.raises(ConfigurationError, match=f"WOSDK_{given} is '{url}', and WOSDK_{other} is not set"):
        Settings.from_env(env)
    Settings.from_env({**env, f"WOSDK_{other}": url})
    Settings.from_env({f"WOSDK_{given}": "https://wosdk.acme.example"})


def test_a_variable_that_is_misspelt(caplog: pytest.LogCaptureFixture) -> None:
    """One warning with the suggestion and without the value; variables of others are left alone."""
    env = {
        "WOSDK_TOKENURL": "hush",
        "WOSDK_CLIENT_ID_STAGE": "x",
        "WOSDK_TEST_TLS": "1",
        "WOSDK_COMPLETE": "x",
    }
    for _ in range(3):
        Settings.from_env({**env, "WOSDK_COMPANY": "Acme"})
    (record,) = caplog.records
    assert re.search("WOSDK_TOKENURL is .* 'WOSDK_TOKEN_URL'", record.getMessage())


def test_variables_that_are_not_needed_may_be_wrong() -> None:
    """What is passed stands for them, so half a pair and an unknown region do not matter."""
    env = {"WOSDK_CLIENT_ID": "half", "WOSDK_REGION": "moon"}
    assert Settings.from_env(env, credentials=PASSED, region=Region.EMEA).credentials == PASSED
    with pytest.raises(ConfigurationError, match="moon"):
        Settings.from_env(env, credentials=PASSED)
    with pytest.raises(ConfigurationError, match="WOSDK_CLIENT_SECRET is not set"):
        Settings.from_env(env, region=Region.EMEA)


@pytest.mark.parametrize("given", ["WOSDK_CLIENT_SECRET", "WOSDK_CLIENT_SECRET_FILE"])
def test_a_secret_without_an_id_is_named(given: str) -> None:
    """Also beside a command, which would be used without a word about the secret."""
    for more in ({}, {"WOSDK_CREDENTIALS_COMMAND": "print-credentials"}):
        with pytest.raises(ConfigurationError, match=f"WOSDK_CLIENT_ID is not set, but {given} is;"):
            Settings.from_env({"WOSDK_COMPANY": "Acme", given: "/run/secrets/acme"} | more)


def test_a_pair_and_a_command_are_too_many(tmp_path: Path) -> None:
    """One of them is stale. A variable replaces the other form in a profile."""
    command, pair = {"WOSDK_CREDENTIALS_COMMAND": "print-them"}, {"WOSDK_CLIENT_ID": "id"}
    pair["WOSDK_CLIENT_SECRET"] = SECRET
    with pytest.raises(ConfigurationError, match="WOSDK_CLIENT_ID and WOSDK_CREDENTIALS_COMMAND are both"):
        Settings.from_env(command | pair)
    config = tmp_path / "config.toml"
    lines = ("[profiles.pair]", 'client_id = "old"', f'client_secret = "{SECRET}"')
    config.write_text("\n".join((*lines, "[profiles.command]", 'credentials_command = "old"')), "utf-8")
    config.chmod(0o600)
    named = {"WOSDK_CONFIG": str(config), "WOSDK_PROFILE": "command"}
    assert Settings.from_env(named | pair).credentials == Credentials("id", SECRET)
    assert callable(Settings.from_env({**named, "WOSDK_PROFILE": "pair"} | command).credentials)


def test_a_secret_and_a_file_with_one_are_too_many(tmp_path: Path) -> None:
    """One of them is stale. A variable replaces a profile's secret in either form."""
    both = "WOSDK_CLIENT_SECRET and WOSDK_CLIENT_SECRET_FILE are both set"
    secrets = {"WOSDK_CLIENT_SECRET": SECRET, "WOSDK_CLIENT_SECRET_FILE": "/run/secrets/acme"}
    with pytest.raises(ConfigurationError, match=both) as caught:
        Settings.from_env({"WOSDK_CLIENT_ID": "id"} | secrets)
    assert SECRET not in str(caught.value)
    config = tmp_path / "config.toml"
    keys = ('client_id = "id"', 'client_secret_file = "/run/secrets/acme"', f'client_secret = "{SECRET}"')
    config.write_text("\n".join(("[profiles.one]", *keys[:2], "[profiles.both]", *keys)), encoding="utf-8")
    config.chmod(0o600)
    with pytest.raises(ConfigurationError, match=f"{both} in the profile 'both'"):
        Settings.from_env({"WOSDK_CONFIG": str(config)}, profile="both")
    env = {"WOSDK_CONFIG": str(config), "WOSDK_PROFILE": "one", "WOSDK_CLIENT_SECRET": "of the variable"}
    assert Settings.from_env(env).credentials == Credentials("id", "of the variable")


async def test_a_client_passes_its_arguments_on() -> None:
    async with Service() as service:
        passed = {"company": COMPANY, "credentials": PASSED, "region": service.region(), "max_queued": 9}
        env = {"WOSDK_COMPANY": "Other", "WOSDK_REGION": "apac"}
        async with Client.from_env(env, **passed, trusted_hosts=["127.0.0.1"]) as client:
            await client.company().get("Thing", 1)
    assert service.calls[0].headers["companyname"] == COMPANY
    assert b"passed-id" in service.tokens[0].body


async def test_a_secret_in_a_file_is_read_anew(tmp_path: Path) -> None:
    """A secret that was changed is used at the next renewal."""
    path = tmp_path / "secret"
    path.write_text("first\n", encoding="utf-8")
    async with Service() as service:
        variables = environ(service, WOSDK_CLIENT_ID="me", WOSDK_CLIENT_SECRET_FILE=str(path))
        for secret in ("first", "second"):
            path.write_text(f"{secret}\n", encoding="utf-8")
            async with Client.from_env(variables) as client:
                await client.company().connect()
            assert f"client_secret={secret}".encode() in service.tokens[-1].body
        path.unlink()
        async with Client.from_env(variables) as client:
            with pytest.raises(ConfigurationError, match="cannot be read"):
                await client.company().connect()


def command(code: str) -> str:
    return shlex.join([sys.executable, "-c", code])


async def test_credentials_from_a_command() -> None:
    """The command prints the pair as JSON and knows for which Company."""
    prints = (
        "import json, os; print(json.dumps({'client_id': os.environ['WOSDK_COMPANY'], 'client_secret': 's'}))"
    )
    async with Service() as service:
        async with Client.from_env(environ(service, WOSDK_CREDENTIALS_COMMAND=command(prints))) as client:
            await client.company().connect()
    assert b"client_id=Acme+Facilities&client_secret=s" in service.tokens[0].body


@each_of(
    ("line", "told"),
    [
        (command("raise SystemExit(3)"), "exited with 3"),
        (command(f"print({SECRET!r})"), "must print"),
        (command(f'print(\'{{"client_secret": "{SECRET}"}}\')'), "must print"),
        (
            command(f'print(\'{{"client_id": "a", "client_secret": "{SECRET} "}}\')'),
            "printed unusable credentials: client_secret is not as it was generated: .* stray SPACE",
        ),
        (
            command(f'print(\'{{"client_secret": "{SECRET}", "client_id": 7}}\')'),
            "client_id has the type int",
        ),
        (command("print('[' * 60_000)"), "must print"),
        (
            command(f"import signal; print({SECRET!r} * 10_000, flush=True); signal.pause()"),
            "printed more than 65,536 bytes",
        ),
        ("/does/not/exist", "cannot be run: No such file"),
    ],
)
async def test_a_command_that_fails(line: str, told: str) -> None:
    """What went wrong is told, and never what the command printed, in no cause either."""
    with pytest.raises(ConfigurationError, match=told) as caught:
        async with asyncio.timeout(30):
            await from_command(shlex.split(line))("Acme")
    no_secret_behind(caught.value, SECRET)


async def test_a_cancelled_command_is_ended(tmp_path: Path) -> None:
    """Closing the client in the middle leaves no process behind."""
    started = tmp_path / "pid"
    hangs = f"import os, time; open({str(started)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    async with Service() as service:
        client = Client.from_env(environ(service, WOSDK_CREDENTIALS_COMMAND=command(hangs)))
        waiting = asyncio.create_task(client.company().connect())
        while not started.exists() or not started.read_text():
            await asyncio.sleep(0)
        await client.aclose(grace=0)
        with pytest.raises(Exception, match="closed"):
            await waiting
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


@pytest.mark.parametrize("given", ["AcmeFacilities", Path("config.toml"), 5])
def test_variables_that_are_no_mapping(given: Any) -> None:
    """A Company, a profile and a file have names of their own."""
    for read in (Client.from_env, Settings.from_env):
        with pytest.raises(ConfigurationError, match=r"environ is .* mapping .*company=.*profile="):
            read(given)


@pytest.mark.parametrize("variable", ["WOSDK_CONFIG", "XDG_CONFIG_HOME"])
def test_a_settings_file_with_a_null_character_in_its_name(variable: str) -> None:
    """There is no such file."""
    with pytest.raises(ConfigurationError, match="cannot be read: embedded null"):
        Settings.from_env({variable: "a\0b"}, profile="a")


async def test_a_secret_in_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"hush\xff")
    with pytest.raises(ConfigurationError) as caught:
        await from_file("id-1", tmp_path / "secret")("Acme")
    no_secret_behind(caught.value, "hush")


async def test_a_null_character_or_half_a_letter_in_a_command_or_in_the_name_of_a_secret() -> None:
    """No file and no program has such a name; what stands behind it is in no cause."""
    told = "cannot be (read|run).*(null|surrogates not allowed)"
    for text in ("a\0b", "a\ud800"):
        for lookup in (from_file("id-1", text), from_command(["true", f"hush{text}"])):
            with pytest.raises(ConfigurationError, match=told) as caught:
                await lookup("Acme")
            no_secret_behind(caught.value, "hush")


@each_of("host", ["h.example", "h.example:port/", "[::1", "h.example/a@b", ""])
@each_of("scheme", ["https://", "ftp://", ""])
@each_of("password", ["hush-hush", "hush/hush@hush", "hush:hush?hush"])
async def test_a_password_in_an_address(host: str, scheme: str, password: str) -> None:
    """It is refused, and in no cause of the error."""
    url = f"{scheme}svc:{password}@{host}"
    async with Service() as service:
        for variables in (
            {"WOSDK_TOKEN_URL": url},
            {"WOSDK_LOCATOR_URL": url},
            {"WOSDK_TRUSTED_HOSTS": url},
        ):
            with pytest.raises(ConfigurationError, match=r"\*\*\*@") as caught:
                async with Client.from_env(environ(service, **variables), credentials=PASSED) as client:
                    await client.company().connect()
            assert "hush" not in repr([(str(each), vars(each), each.args) for each in chained(caught.value)])
    for given in (url, [url]):
        with pytest.raises(ConfigurationError) as caught:
            Client.from_env(environ(service), credentials=PASSED, trusted_hosts=given)
        assert "hush" not in str(caught.value)


def test_a_command_that_cannot_be_split() -> None:
    """The variable is named, and never what it holds."""
    line = f'echo "{SECRET}'
    with pytest.raises(
        ConfigurationError, match=r"^WOSDK_CREDENTIALS_COMMAND .*: No closing quotation"
    ) as caught:
        Client.from_env({"WOSDK_CREDENTIALS_COMMAND": line})
    assert list(chained(caught.value)) == [caught.value]
    assert SECRET not in repr(caught.value)


def test_an_empty_name_is_not_the_usual_company(config: dict[str, str]) -> None:
    """It is often a variable that is not set; another Company must not be taken in its place."""
    environ = {**config, "WOSDK_PROFILE": "stage"}
    with pytest.raises(ConfigurationError, match="company is empty; it must be the name of a Company"):
        Client.from_env(environ, company="")
    with pytest.raises(InvalidCallError, match="the Company's name is empty; it must be the name"):
        Client.from_env(environ).company("")


@each_of(
    "name", ["North ", "\tNorth", "\x00", "North\r\nX: y", "\ud800", "\u2028North", " ", "", 5, b"North"]
)
def test_a_name_that_cannot_be_sent(config: dict[str, str], name: Any) -> None:
    """In a setting, the back end is not set up; in a call, the name may be a caller's."""
    with pytest.raises(InvalidCallError, match="the Company's name is ") as caught:
        Client.from_env(config).company(name)
    assert problem_of(caught.value).status == 422
    with pytest.raises(ConfigurationError, match="company is "):
        Client.from_env(config, company=name)
    if isinstance(name, str) and name:  # an empty variable is not set
        with pytest.raises(ConfigurationError, match="company is "):
            Client.from_env({**config, "WOSDK_COMPANY": name})


def test_an_argument_without_its_name() -> None:
    """Arguments of a client are named; the value is not shown, as it may be secret."""
    make: Any = Client
    with pytest.raises(TypeError, match=r"__init__\(\) takes 1 positional argument but 2 were given$"):
        make(SECRET)
    with pytest.raises(TypeError, match=r"from_env\(\) takes 2 positional arguments but 3 were given$"):
        make.from_env({}, SECRET)


@pytest.mark.parametrize(
    ("variables", "company"),
    [
        ({}, "Usual"),
        ({"WOSDK_PROFILE": "stage"}, "Acme Stage"),
        ({"WOSDK_COMPANY": "Mine"}, "Mine"),
        ({"WOSDK_REGION": "apac"}, None),
        ({"WOSDK_COMPANY": ""}, "Usual"),  # an empty variable is not set
    ],
)
def test_the_default_profile_is_read_when_nothing_else_is_set(
    config: dict[str, str], variables: dict[str, str], company: str | None
) -> None:
    """It is not mixed with variables, which may be of another Company, nor with credentials of a program."""
    with Path(config["WOSDK_CONFIG"]).open("a", encoding="utf-8") as file:
        file.write('[profiles.default]\ncompany = "Usual"\nregion = "emea"\n')
    found = Settings.from_env({**config, **variables})
    assert found.company == company
    assert (found.region.name == "emea") == (company in ("Usual", "Acme Stage"))
    assert Settings.from_env(config, credentials=Credentials("a", "b")).company is None


def test_a_user_without_a_home_has_no_default_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container may run as a user whom its system does not know."""
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 54_321)
    assert Settings.from_env({}).company is None


USUAL = """
[profiles.default]
company = "Usual"
region = "emea"
client_id = "usual-id"
client_secret = "usual-secret"
token_url = "https://usual.example/token"
locator_url = "https://usual.example"
trusted_hosts = ["usual.example"]
"""
VARIABLES = (
    {},
    {"WOSDK_COMPANY": "Usual"},
    {"WOSDK_COMPANY": "Other"},
    {"WOSDK_REGION": "apac"},
    {"WOSDK_CLIENT_ID": "env-id", "WOSDK_CLIENT_SECRET": "env-secret"},
    {"WOSDK_TOKEN_URL": "https://env.example/token"},
)
ARGUMENTS: tuple[dict[str, Any], ...] = tuple(
    {name: value for name, value in zip(("company", "region", "credentials"), values, strict=True) if value}
    for values in itertools.product((None, "Usual", "Other"), (None, Region.APAC), (None, PASSED))
)


@pytest.mark.parametrize("variables", VARIABLES, ids=str)
def test_the_default_profile_is_used_as_a_whole_or_not_at_all(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    """No secret is sent for another Company than its own, or to an address of another one."""
    file = tmp_path / "config.toml"
    file.write_text(USUAL, encoding="utf-8")
    file.chmod(0o600)
    env = {"WOSDK_CONFIG": str(file), **variables}
    for arguments in ARGUMENTS:
        found = Settings.from_env(env, **arguments)
        named = arguments.get("company") or variables.get("WOSDK_COMPANY", "Usual")
        if (
            named == "Usual"
            and not arguments.keys() - {"company"}
            and not variables.keys() - {"WOSDK_COMPANY"}
        ):
            assert (found.company, found.region.token_url) == ("Usual", "https://usual.example/token")
            assert found.credentials == Credentials("usual-id", "usual-secret")
        else:
            assert found.credentials != Credentials("usual-id", "usual-secret")
            assert "usual" not in found.region.token_url + found.region.locator_url
            assert found.trusted_hosts == ()


def test_addresses_of_a_named_profile_are_of_its_region(tmp_path: Path) -> None:
    """With a variable of another region, those of that region are used."""
    file = tmp_path / "config.toml"
    file.write_text(USUAL.replace("default", "stage"), encoding="utf-8")
    file.chmod(0o600)
    env = {"WOSDK_CONFIG": str(file), "WOSDK_PROFILE": "stage"}
    assert Settings.from_env({**env, "WOSDK_REGION": "emea"}).region.token_url.startswith("https://usual")
    assert Settings.from_env({**env, "WOSDK_REGION": "apac"}).region == Region.APAC


async def read_secret(path: str) -> None:
    await from_file("id", path)("Acme")


def test_only_regular_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe would wait for ever, and a device may have no end."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("link").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name, kind in (("pipe", "pipe"), ("folder", "directory"), ("socket", "socket"), ("link", "pipe")):
            with pytest.raises(ConfigurationError, match=f"cannot be read: it is a {kind}, not a regular"):
                Settings.from_env({"WOSDK_CONFIG": name})
            with pytest.raises(ConfigurationError, match=f"cannot be read from {name}: it is a {kind}"):
                asyncio.run(read_secret(name))
    with pytest.raises(ConfigurationError, match="it is a device"):
        asyncio.run(read_secret("/dev/zero"))
