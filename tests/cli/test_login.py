"""``wosdk login``: credentials are tried, and only those that work become a profile."""

from __future__ import annotations

import os
import pty
import signal
import stat
import subprocess
import termios
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, ROOT, Wosdk, full_disk

SECRET = "WOSDK_CLIENT_SECRET"
IDENTITY = ("WOSDK_COMPANY", "WOSDK_CLIENT_ID", SECRET)


@pytest.fixture
def company(seeded: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """A local Company of which the environment names the addresses alone, and a settings file."""
    for name in IDENTITY:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WOSDK_CONFIG", str(tmp_path / "wosdk" / "config.toml"))
    (tmp_path / "secret").write_text(f"{seeded[SECRET]}\n", encoding="utf-8")
    return seeded


def given(company: dict[str, str]) -> list[str]:
    return ["--company", company["WOSDK_COMPANY"], "--client-id", company["WOSDK_CLIENT_ID"]]


def profiles(folder: Path) -> Any:
    return tomllib.loads((folder / "wosdk" / "config.toml").read_text(encoding="utf-8"))["profiles"]


def forget_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WOSDK_TOKEN_URL", "WOSDK_LOCATOR_URL"):
        monkeypatch.delenv(name)


def test_the_default_profile_is_used_when_nothing_else_is_set(
    wosdk: Wosdk, company: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The profile names the secret's file, and after it every command needs no variable."""
    result = wosdk("login", *given(company), "--client-secret-file", tmp_path / "secret")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "profile 'default' is in" in result.stderr
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
    assert "WOSDK_CLIENT_SECRET, WOSDK_TOKEN_URL, WOSDK_LOCATOR_URL: variables come before" in result.stderr
    assert seeded[SECRET] not in result.stderr


@pytest.mark.parametrize(
    ("changed", "status", "message"),
    [
        ({"--company": "Nobody"}, 5, "does not know 'Nobody'"),
        ({"--client-id": "wrong"}, 5, "refused the credentials"),
        ({"--client-secret-file": "none"}, 2, "the secret cannot be read from"),
        ({"--profile": "a b"}, 2, "a profile is named by letters"),
        ({"--profile": "../x"}, 2, "a profile is named by letters"),
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
    assert (result.exit_code, "stdin has no secret" in result.stderr) == (2, True)


def test_without_a_terminal_a_refused_answer_ends_it(
    wosdk: Wosdk, company: dict[str, str], tmp_path: Path
) -> None:
    """Also the region of the old profile, which no option gave."""
    old_profile(tmp_path, '[profiles.default]\ncompany = "Nobody"\nregion = "americas"\n')
    options = ("--company", "Nobody", *given(company)[2:], "--client-secret-file", tmp_path / "secret")
    result = wosdk("login", *options, input="americas\n" * 3)
    assert (result.exit_code, "Region" in result.output) == (5, False)


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
    assert "is not TOML; correct it" in result.stderr
    assert "abc-secret" not in result.stderr


def old_profile(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "wosdk" / "config.toml"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    return file


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
    assert "token_url of the old profile is left out" in result.stderr
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
        ("[profiles.default]\ncompany = 7\n", "profiles.default.company is an int; it takes text"),
        ("profiles = 7\n", "cannot be changed there"),
        ('profiles.default.company = "x"\n', "cannot be changed there"),
        ('[profiles]\ndefault = {company = "x"}\n', "cannot be changed there"),
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


# --- on a terminal --------------------------------------------------------------------------


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self._leader, follower = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=ROOT,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        )
        os.close(follower)
        self.shown = ""

    def until(self, text: str) -> None:
        """Read what is shown until ``text`` comes."""
        start = len(self.shown)
        while text not in self.shown[start:]:
            self.shown += os.read(self._leader, 4096).decode()

    def type(self, line: str) -> None:
        """Type a line. What comes between a hidden question and the end of the echo is thrown away there."""
        if self.shown.endswith(("not shown):", "not shown): ")):
            while termios.tcgetattr(self._leader)[3] & termios.ECHO:
                os.sched_yield()
        os.write(self._leader, f"{line}\n".encode())

    def interrupt(self) -> None:
        """Press Ctrl-C; once more if it came just before the process began to read, which Python misses."""
        while self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(2)

    def end(self) -> int:
        """Read the rest, and return the exit status."""
        while True:
            try:
                self.shown += os.read(self._leader, 4096).decode()
            except OSError:  # the other side is closed
                break
        os.close(self._leader)
        return self.process.wait(20)


def test_on_a_terminal_everything_is_asked(company: dict[str, str], tmp_path: Path) -> None:
    """The secret is not shown; the region has a default."""
    terminal = Terminal("login")
    for question, answer in (
        ("Company:", company["WOSDK_COMPANY"]),
        ("[americas]:", ""),
        ("Client id:", company["WOSDK_CLIENT_ID"]),
        ("not shown):", company[SECRET]),
    ):
        terminal.until(question)
        terminal.type(answer)
    assert terminal.end() == 0
    assert company[SECRET] not in terminal.shown
    assert profiles(tmp_path)["default"]["region"] == "americas"
    assert (tmp_path / "wosdk" / "default.secret").exists()


def test_only_what_was_wrong_is_asked_again(company: dict[str, str], tmp_path: Path) -> None:
    """Answers that were right stay, and Enter keeps one; what options say is never asked."""
    terminal = Terminal("login", "--client-id", company["WOSDK_CLIENT_ID"])
    for question, answer in (
        ("Company:", "Nobody"),
        ("[americas]:", ""),
        ("not shown):", "wrong-secret-1"),
        ("not shown):", company[SECRET]),
        ("Company [Nobody]:", company["WOSDK_COMPANY"]),
        ("[americas]:", ""),
    ):
        terminal.until(question)
        terminal.type(answer)
    assert terminal.end() == 0
    assert (terminal.shown.count("Client secret"), terminal.shown.count("Region")) == (2, 2)
    assert "Client id" not in terminal.shown
    assert "wrong-secret-1" not in terminal.shown
    assert profiles(tmp_path)["default"]["company"] == company["WOSDK_COMPANY"]
    assert (tmp_path / "wosdk" / "default.secret").read_text(encoding="utf-8") == f"{company[SECRET]}\n"


def test_a_secret_that_was_right_is_kept_by_enter(company: dict[str, str], tmp_path: Path) -> None:
    """The pair is refused as a whole, and the service does not say which half of it is wrong."""
    terminal = Terminal("login", "--company", company["WOSDK_COMPANY"], "--region", "americas")
    for question, answer in (
        ("Client id:", "wrong"),
        ("not shown):", company[SECRET]),
        ("Client id [wrong]:", company["WOSDK_CLIENT_ID"]),
        ("not shown):", ""),
    ):
        terminal.until(question)
        terminal.type(answer)
    assert terminal.end() == 0
    assert company[SECRET] not in terminal.shown
    assert profiles(tmp_path)["default"]["client_id"] == company["WOSDK_CLIENT_ID"]


def test_no_leaves_the_profile_as_it_is(company: dict[str, str], tmp_path: Path) -> None:
    """Questions offer what the profile has; the answer no is status 1."""
    (tmp_path / "wosdk").mkdir()
    before = f'[profiles.default]\ncompany = "{company["WOSDK_COMPANY"]}"\nregion = "emea"\n'
    (tmp_path / "wosdk" / "config.toml").write_text(before, encoding="utf-8")
    terminal = Terminal("login", *given(company)[2:], "--client-secret-file", str(tmp_path / "secret"))
    terminal.until(f"[{company['WOSDK_COMPANY']}]:")
    terminal.type("")
    terminal.until("[emea]:")
    terminal.type("")
    terminal.until("Change it?")
    terminal.type("n")
    assert terminal.end() == 1
    assert (tmp_path / "wosdk" / "config.toml").read_text(encoding="utf-8") == before


@pytest.mark.parametrize("questions", [1, 2, 3, 4])
def test_ctrl_c_at_each_question_writes_nothing(
    company: dict[str, str], tmp_path: Path, questions: int
) -> None:
    """The status is that of an interruption."""
    terminal = Terminal("login")
    answers = {"Company:": "A", "[americas]:": "", "Client id:": "b", "not shown):": ""}
    *answered, last = list(answers)[:questions]
    for question in answered:
        terminal.until(question)
        terminal.type(answers[question])
    terminal.until(last)
    terminal.interrupt()
    assert terminal.end() == 130
    assert "interrupted" in terminal.shown
    assert not (tmp_path / "wosdk").exists()


@pytest.mark.parametrize(
    ("variable", "hint"), [(None, "`wosdk login` asks"), ("WOSDK_TOKEN_URL", "unset WOSDK_TOKEN_URL")]
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
