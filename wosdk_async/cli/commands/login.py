"""``wosdk login``: ask for a Company and its credentials, try them, and keep them as a profile."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import attrs
import click

from wosdk_async.cli.exit_codes import CliError, Exit, cli_errors, say
from wosdk_async.cli.options import Target, target_of, target_options
from wosdk_async.transport.session.hosts import shown_address

if TYPE_CHECKING:
    from wosdk_async.cli.profile_file import ProfileFile

__all__ = ["login_command"]

_DEFAULT = "default"  # the profile that is used when none is named and no variable is set
_STDIN = "-"
_ENDING = ".secret"
_REGIONS = click.Choice(["americas", "apac", "emea"])
_MAX_SECRET = 64 * 1024  # characters
_ADDRESSES = ("token_url", "locator_url", "trusted_hosts")
_OPTIONS = {
    "company": "--company",
    "client_id": "--client-id",
    "client_secret": "--client-secret-file FILE|- or --credentials-command COMMAND",
}
_QUESTIONS = {"company": "Company", "client_id": "Client id"}
_HIDDEN = {"client_secret": "(a secret)", "credentials_command": "(a command)"}
_CREDENTIALS = ("client_id", "client_secret", "client_secret_file", "credentials_command")
_ORDER = ("company", "region", *_CREDENTIALS, *_ADDRESSES)


@click.command("login", short_help="Try the credentials of a Company and keep them as a profile.")
@click.option("--region", type=_REGIONS, help="Where the Company is at home; americas by default.")
@click.option("--client-id", metavar="ID", help="The client id that the Company's administrator made.")
@click.option(
    "--client-secret-file",
    metavar="FILE|-",
    help="A file with the secret, which the profile will name; - reads the secret from stdin.",
)
@click.option(
    "--credentials-command",
    metavar="COMMAND",
    help="A command that prints the pair as JSON, such as that of a password manager.",
)
@click.option("--yes", is_flag=True, help="Change an existing profile without a question.")
@click.option("--list", "listed", is_flag=True, help="List the profiles, without secrets, and end.")
@target_options(hidden=True)
@click.pass_context
def login_command(
    ctx: click.Context,
    region: str | None,
    client_id: str | None,
    client_secret_file: str | None,
    credentials_command: str | None,
    yes: bool,
    listed: bool,
) -> None:
    """Ask for a Company and its credentials, try them, and keep them as a profile of the settings file.

    What options or WOSDK_ variables say is not asked. Nothing is written unless the log-in works. --profile
    names the profile; the profile 'default' is used when nothing else is set. A secret that you type goes to
    a file of its own beside the settings file, for you alone; with --credentials-command it is kept nowhere.

    \b
      wosdk login
      wosdk login --profile stage --company 'Acme Stage' --credentials-command 'vault-read acme-stage'
    """
    from wosdk_async.cli.profile_file import ProfileFile, require_profile_name
    from wosdk_async.settings import settings_file

    target = target_of(ctx)
    name = target.profile or os.environ.get("WOSDK_PROFILE") or _DEFAULT
    with cli_errors():
        require_profile_name(name)
        file = ProfileFile.read(settings_file(os.environ))
        if listed:
            _list(file.profiles)
            return
        given = {
            "company": target.company,
            "region": region,
            "client_id": client_id,
            "client_secret_file": client_secret_file,
            "credentials_command": credentials_command,
        }
        old = file.profile(name)
        _require_usable(file, name)
        answers = _with_addresses(_complete(_known(given), old), old)
        status = _try(attrs.evolve(target, profile=None, company=None), answers)
        if status is not Exit.DONE:
            say(f"nothing was written to {file.path}")
            ctx.exit(status)
        _keep(file, name, answers, ask=not yes)


def _list(profiles: Mapping[str, Any]) -> None:
    from wosdk_async.cli.output.cells import visible
    from wosdk_async.cli.output.table import print_table

    def line(name: str, profile: Any) -> list[str]:
        found = profile if isinstance(profile, dict) else {}
        source = next((key for key in reversed(_CREDENTIALS) if key in found), "no credentials")
        return [
            visible(str(each)) for each in (name, found.get("company", ""), found.get("region", ""), source)
        ]

    print_table(sys.stdout, [line(name, profile) for name, profile in profiles.items()])
    if not profiles:
        say("no profiles; wosdk login makes one")


# --- questions ------------------------------------------------------------------------------


def _require_usable(file: ProfileFile, name: str) -> None:
    """Raise an error for a profile that could not be changed or used, before anything is asked."""
    from wosdk_async.settings import profile_variables

    profile_variables(file.path, name, file.profile(name))
    file.replaced(name, dict.fromkeys(_ADDRESSES) | dict.fromkeys(_CREDENTIALS) | {"company": name})


def _known(given: Mapping[str, str | None]) -> dict[str, str]:
    """Return the keys of the profile that options and variables say; a secret of stdin is one of them."""
    found = {key: given.get(key) or os.environ.get(_variable(key)) or "" for key in _ORDER}
    if given["credentials_command"]:  # an option comes before variables with other credentials
        found |= dict.fromkeys(("client_id", "client_secret", "client_secret_file"), "")
    elif given["client_secret_file"]:
        found["client_secret"] = _secret_of_stdin() if found["client_secret_file"] == _STDIN else ""
    if path := found["client_secret_file"]:
        found["client_secret_file"] = "" if path == _STDIN else str(Path(path).absolute())
    return {key: value for key, value in found.items() if value}


def _complete(answers: dict[str, str], old: Mapping[str, Any]) -> dict[str, str]:
    """Ask for what is missing."""
    from wosdk_async.cli.runner import is_interactive

    missing = _missing(answers)
    if missing and not is_interactive():
        named = ", ".join(_OPTIONS[key] for key in missing if key in _OPTIONS)
        if named:
            raise CliError(f"stdin is not a terminal, so you cannot be asked; add {named}")
        missing = []  # the region has a default
    found = dict(answers)
    for key in missing:
        found[key] = _answer(key, _text(old, key))
    if "region" not in found and found["company"] == _text(old, "company") and _text(old, "region"):
        found["region"] = _text(old, "region")
    return {key: found[key] for key in _ORDER if found.get(key)}


def _with_addresses(answers: dict[str, str], old: Mapping[str, Any]) -> dict[str, str]:
    """Return the answers with the addresses of the old profile, if it is of the same Company and region.

    Those of another Company must not get this secret, so they are left out. All are shown before it is sent.
    """
    own = _identity(answers) == _identity(old)
    for key in _ADDRESSES:
        kept = _text(old, key)
        if kept and key not in answers and own:
            answers[key] = kept
        elif kept and not own and answers.get(key) != kept:
            say(f"{key} of the old profile is left out: that profile is of another Company or region")
        if key in answers:
            say(f"{key}: {shown_address(answers[key])}")
    return answers


def _identity(profile: Mapping[str, Any]) -> tuple[str, str]:
    return _text(profile, "company"), _text(profile, "region") or _REGIONS.choices[0]


def _missing(answers: Mapping[str, str]) -> list[str]:
    wanted = ["company", "region"]
    if "credentials_command" not in answers:
        wanted.append("client_id")
        if "client_secret_file" not in answers:
            wanted.append("client_secret")
    return [key for key in wanted if not answers.get(key)]


def _answer(key: str, old: str) -> str:
    if key == "client_secret":
        text: str = click.prompt("Client secret (it is not shown)", hide_input=True, err=True)
    elif key == "region":
        text = click.prompt("Region", default=old or "americas", type=_REGIONS, err=True)
    else:
        text = click.prompt(_QUESTIONS[key], default=old or None, err=True)
    return text.strip()


def _secret_of_stdin() -> str:
    secret = sys.stdin.readline(_MAX_SECRET).strip()
    if not secret:
        raise CliError("stdin has no secret in its first line")
    return secret


def _variable(key: str) -> str:
    return f"WOSDK_{key.upper()}"


def _text(profile: Mapping[str, Any], key: str) -> str:
    value = profile.get(key, "")
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


# --- the log-in, and the profile --------------------------------------------------------------


def _try(target: Target, answers: Mapping[str, str]) -> Exit:
    """Try the settings step by step, and return the exit status."""
    from wosdk_async.cli.diagnostics import steps
    from wosdk_async.cli.runner import Runner
    from wosdk_async.cli.step_report import StepReport
    from wosdk_async.settings import Settings

    variables = {_variable(key): value for key, value in answers.items()}
    settings = Settings.from_env(variables)
    report = StepReport(sys.stderr)
    with Runner(target, variables) as runner:
        runner.run(report.add_all(steps(settings, runner.company, target.deadline, target.verbose)))
    return report.status


def _keep(file: ProfileFile, name: str, answers: Mapping[str, str], *, ask: bool) -> None:
    """Write the profile, and a typed secret beside it, when the user agrees.

    The secret gets a new file, and the old one goes last: the old profile works until the new one does.
    """
    secret = answers.get("client_secret")
    secret_file = _new_secret_file(file.path.parent.absolute(), name) if secret is not None else None
    changes: dict[str, str | None] = dict.fromkeys(_ORDER) | dict(answers) | {"client_secret": None}
    if secret_file is not None:
        changes["client_secret_file"] = str(secret_file)
    old = file.profile(name)
    changes = {key: value for key, value in changes.items() if _text(old, key) != (value or "")}
    text = file.replaced(name, changes)  # what cannot be written is reported before the question
    if old and changes:
        _confirm(name, file.path, old, changes, ask=ask)
    if changes:
        _write(file, text, secret_file, secret)
    _remove_old_secret(file.path, name, _text(old, "client_secret_file"), changes)
    named = "" if name == _DEFAULT else f" --profile {name}"
    say(f"profile {name!r} is in {file.path}; wosdk check{named} tries it again")
    _say_variables()


def _write(file: ProfileFile, text: str, secret_file: Path | None, secret: str | None) -> None:
    from wosdk_async.cli.profile_file import create_private

    file.require_unchanged()
    if secret_file is not None:
        create_private(secret_file, f"{secret}\n")
    try:
        file.write(text)
    except CliError:
        if secret_file is not None:
            secret_file.unlink(missing_ok=True)
        raise


def _new_secret_file(folder: Path, name: str) -> Path:
    """Return the path of a file that is not there yet."""
    usual = folder / f"{name}{_ENDING}"
    return folder / f"{name}.{token_hex(4)}{_ENDING}" if os.path.lexists(usual) else usual


def _remove_old_secret(settings: Path, name: str, old: str, changes: Mapping[str, str | None]) -> None:
    """Remove the file of the secret that an earlier log-in made and the profile no longer names."""
    made = Path(old)
    own = re.fullmatch(rf"{re.escape(name)}(\.[0-9a-f]{{8}})?{re.escape(_ENDING)}", made.name)
    if "client_secret_file" in changes and own and made.parent == settings.parent.absolute():
        with suppress(OSError):  # the new profile works without
            made.unlink()


def _confirm(
    name: str,
    path: Path,
    old: Mapping[str, Any],
    changes: Mapping[str, str | None],
    *,
    ask: bool,
) -> None:
    """Show what changes in a profile, and ask."""
    from wosdk_async.cli.runner import is_interactive

    say(f"profile {name!r} of {path} changes:")
    for key, value in changes.items():
        before, after = (text and _HIDDEN.get(key, text) for text in (_text(old, key), value))
        say(f"{key}: {before or 'not set'} -> {after or 'not set'}")
    if not ask:
        return
    if not is_interactive():
        raise CliError("stdin is not a terminal, so you cannot be asked; add --yes to change it all the same")
    if not click.confirm("Change it?", err=True):
        raise CliError("nothing was written", Exit.SOME)


def _say_variables() -> None:
    """Say which variables come before the profile."""
    names = map(_variable, _ORDER)
    if found := [name for name in names if os.environ.get(name)]:
        say(f"{', '.join(found)}: variables come before the profile, as long as they are set")
