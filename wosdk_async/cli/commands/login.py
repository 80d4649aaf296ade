"""``wosdk login``: ask for a Company and its credentials, try them, and keep them as a profile."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import click

from wosdk_async.cli.exit_codes import CliError, Exit, cli_errors, say
from wosdk_async.cli.options import Target, target_of, target_options

__all__ = ["login_command"]

_DEFAULT = "default"  # the profile that is used when none is named and no variable is set
_STDIN = "-"
_REGIONS = click.Choice(["americas", "apac", "emea"])
_MAX_SECRET = 64 * 1024  # characters
_KEPT = ("token_url", "locator_url", "trusted_hosts")  # so that the profile is what was tried
_OPTIONS = {
    "company": "--company",
    "client_id": "--client-id",
    "client_secret": "--client-secret-file FILE|- or --credentials-command COMMAND",
}
_QUESTIONS = {"company": "Company", "client_id": "Client id"}
_HIDDEN = {"client_secret": "(a secret)", "credentials_command": "(a command)"}
_CREDENTIALS = ("client_id", "client_secret", "client_secret_file", "credentials_command")
_ORDER = ("company", "region", *_CREDENTIALS, *_KEPT)


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
        answers = _complete(_known(given, file.profile(name)), file.profile(name))
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


def _known(given: Mapping[str, str | None], old: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys of the profile that options and variables say; a secret of stdin is one of them."""
    keys = ("company", "region", *_CREDENTIALS)
    found = {key: given.get(key) or os.environ.get(_variable(key)) or "" for key in keys}
    found |= {key: os.environ.get(_variable(key)) or _text(old, key) for key in _KEPT}
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
    asked = {key: _answer(key, _text(old, key)) for key in missing}
    return {key: value for key in _ORDER if (value := asked.get(key) or answers.get(key))}


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
    from wosdk_async.cli.commands.check import StepReport
    from wosdk_async.cli.diagnostics import steps
    from wosdk_async.cli.runner import Runner
    from wosdk_async.settings import Settings

    variables = {_variable(key): value for key, value in answers.items()}
    settings = Settings.from_env(variables)
    report = StepReport(sys.stderr)
    with Runner(target, variables) as runner:
        runner.run(report.add_all(steps(settings, runner.company, target.deadline, target.verbose)))
    return report.status


def _keep(file: Any, name: str, answers: Mapping[str, str], *, ask: bool) -> None:
    """Write the profile, and a typed secret beside it, when the user agrees."""
    from wosdk_async.cli.profile_file import write_private

    secret = answers.get("client_secret")
    secret_file = file.path.parent.absolute() / f"{name}.secret"
    changes: dict[str, str | None] = dict.fromkeys(_CREDENTIALS) | dict(answers) | {"client_secret": None}
    if secret is not None:
        changes["client_secret_file"] = str(secret_file)
    old = file.profile(name)
    changes = {key: value for key, value in changes.items() if _text(old, key) != (value or "")}
    text = file.replaced(name, changes)  # what cannot be written is reported before the question
    if old and (changes or secret is not None):
        _confirm(name, file.path, old, changes, secret_file if secret is not None else None, ask=ask)
    if secret is not None:
        write_private(secret_file, f"{secret}\n")
    if changes:
        file.write(text)
    named = "" if name == _DEFAULT else f" --profile {name}"
    say(f"profile {name!r} is in {file.path}; wosdk check{named} tries it again")
    _say_variables()


def _confirm(
    name: str,
    path: Path,
    old: Mapping[str, Any],
    changes: Mapping[str, str | None],
    secret_file: Path | None,
    *,
    ask: bool,
) -> None:
    """Show what changes in a profile, and ask."""
    from wosdk_async.cli.runner import is_interactive

    say(f"profile {name!r} of {path} changes:")
    for key, value in changes.items():
        before, after = (text and _HIDDEN.get(key, text) for text in (_text(old, key), value))
        say(f"{key}: {before or 'not set'} -> {after or 'not set'}")
    if secret_file is not None:
        say(f"the secret goes to {secret_file}")
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
