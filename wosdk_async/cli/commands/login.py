"""``wosdk login``: check and save the credentials of a Company; ``wosdk check``: diagnose the connection."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import click

from wosdk_async.cli.diagnostics import Step, StepReport, failed_step, steps
from wosdk_async.cli.exit_codes import CliError, Exit, say
from wosdk_async.cli.options import Target, json_option, output_option, target_of, target_options, yes_option
from wosdk_async.cli.output.files import opened
from wosdk_async.cli.output.table import print_table
from wosdk_async.cli.profile_file import (
    ADDRESS_KEYS,
    CREDENTIAL_KEYS,
    PROFILE_KEYS,
    ProfileFile,
    require_profile_name,
    text_of,
    variable_of,
    write_profile,
)
from wosdk_async.cli.runner import NOT_A_TERMINAL, Runner, is_interactive
from wosdk_async.cli.texts import visible
from wosdk_async.errors import ConfigurationError
from wosdk_async.settings.environment import Settings
from wosdk_async.settings.profiles import DEFAULT, profile_variables, settings_file
from wosdk_async.transport.session.hosts import shown_address

_STDIN = "-"
_REGIONS = click.Choice(["americas", "apac", "emea"])
_MAX_SECRET = 64 * 1024  # characters
_OPTIONS = {
    "company": "--company",
    "client_id": "--client-id",
    "client_secret": "--client-secret-file FILE|- or --credentials-command COMMAND",
}
_QUESTIONS = {"company": "Company", "client_id": "Client id"}
_ASKED_AGAIN = {  # by step that fails: the answers to ask for again
    "token": ("client_id", "client_secret"),
    "discovery": ("company", "region"),
}


@click.command("login")
@click.option("--region", type=_REGIONS, help="Region of the Company (default: americas).")
@click.option("--client-id", metavar="ID", help="Client id from the Company's administrator.")
@click.option("--client-secret-file", metavar="FILE|-", help="File with the secret; - reads stdin.")
@click.option("--credentials-command", metavar="COMMAND", help="Command that prints id and secret as JSON.")
@yes_option
@click.option("--list", "listed", is_flag=True, help="List the profiles, without secrets.")
@target_options(hidden=True)
@click.pass_context
def login_command(ctx: click.Context, /, yes: bool, listed: bool, **options: str | None) -> None:
    """Ask for a Company and its credentials, check them, and save them as a profile.

    You are not asked for values set by options or WOSDK_ variables. Nothing is saved until the log-in works;
    you are asked again for refused values. --profile names the profile (default: 'default'). A typed secret
    is saved in a private file; with --credentials-command no secret is stored.

    \b
      wosdk login
      wosdk login --profile stage --company 'Acme Stage' --credentials-command 'vault-read acme-stage'
    """
    target = target_of(ctx)
    name = target.profile or os.environ.get("WOSDK_PROFILE") or DEFAULT
    require_profile_name(name)
    file = ProfileFile.read(settings_file(os.environ))
    if listed:
        _list(file.profiles)
        return
    options["company"] = target.company
    old = file.profile(name)
    # Raise an error before prompting if the profile cannot be used or changed.
    profile_variables(file.path, name, old)
    file.replaced(name, dict.fromkeys(ADDRESS_KEYS) | dict.fromkeys(CREDENTIAL_KEYS) | {"company": name})
    values, status = _log_in(attrs.evolve(target, profile=None, company=None), _known_values(options), old)
    if status is not Exit.DONE:
        say(f"nothing was written to {file.path}")
        ctx.exit(status)
    write_profile(file, name, values, ask=not yes)


def _list(profiles: Mapping[str, Any]) -> None:
    lines = []
    for name, profile in profiles.items():
        keys = profile if isinstance(profile, dict) else {}
        source = next((key for key in reversed(CREDENTIAL_KEYS) if key in keys), "no credentials")
        cells = (name, keys.get("company", ""), keys.get("region", ""), source)
        lines.append([visible(str(each)) for each in cells])
    print_table(sys.stdout, lines)
    if not profiles:
        say("no profiles; wosdk login creates one")


def _log_in(target: Target, known: Mapping[str, str], old: Mapping[str, Any]) -> tuple[dict[str, str], Exit]:
    answers = _complete(known, old)
    while True:
        values = _with_addresses(answers, old)
        last = _check(target, values)
        refused = _ASKED_AGAIN.get(last.step, ()) if last.status is Exit.LOGIN else ()
        again = [key for key in refused if key in answers and key not in known]
        if not again or not is_interactive():
            return values, last.status
        say("press Enter to keep an answer, Ctrl-C to quit")
        answers = answers | {key: _ask(key, answers[key], again=True) for key in again}


def _known_values(options: Mapping[str, str | None]) -> dict[str, str]:
    """Return the values of options and variables, and a secret from stdin."""
    found = {key: options.get(key) or os.environ.get(variable_of(key)) or "" for key in PROFILE_KEYS}
    if options["credentials_command"]:  # the option overrides credentials in variables
        found |= dict.fromkeys(("client_id", "client_secret", "client_secret_file"), "")
    elif options["client_secret_file"]:
        found["client_secret"] = ""
        if found["client_secret_file"] == _STDIN:
            found["client_secret"] = sys.stdin.readline(_MAX_SECRET).strip()
            if not found["client_secret"]:
                raise CliError("the first line of stdin is empty; write the secret there")
    if path := found["client_secret_file"]:
        found["client_secret_file"] = "" if path == _STDIN else str(Path(path).absolute())
    return {key: value for key, value in found.items() if value}


def _complete(values: Mapping[str, str], old: Mapping[str, Any]) -> dict[str, str]:
    """Ask for missing values; the old profile's values are the defaults.

    Without a terminal, the old region is kept only for the same Company.
    """
    wanted = ["company", "region"]
    if "credentials_command" not in values:
        wanted += ["client_id"] if "client_secret_file" in values else ["client_id", "client_secret"]
    missing = [key for key in wanted if not values.get(key)]
    if missing and not is_interactive():
        named = ", ".join(_OPTIONS[key] for key in missing if key in _OPTIONS)
        if named:
            raise CliError(f"{NOT_A_TERMINAL}; add {named}")
        missing = []  # only the region is missing, and it has a default
    found = dict(values)
    for key in missing:
        found[key] = _ask(key, text_of(old, key))
    if "region" not in found and found["company"] == text_of(old, "company") and text_of(old, "region"):
        found["region"] = text_of(old, "region")
    return {key: found[key] for key in PROFILE_KEYS if found.get(key)}


def _with_addresses(answers: Mapping[str, str], old: Mapping[str, Any]) -> dict[str, str]:
    """Add the old profile's addresses, and print all addresses before the secret is sent to them.

    Addresses of another Company or region are skipped, because they must not get the secret.
    """
    values = dict(answers)
    identity = [(text_of(each, "company"), text_of(each, "region") or "americas") for each in (values, old)]
    is_same = identity[0] == identity[1]
    for key in ADDRESS_KEYS:
        kept = text_of(old, key)
        if kept and key not in values and is_same:
            values[key] = kept
        elif kept and not is_same and values.get(key) != kept:
            say(f"{key} of the old profile is skipped: it belongs to another Company or region")
        if key in values:
            say(f"{key}: {shown_address(values[key])}")
    return values


def _ask(key: str, old: str, *, again: bool = False) -> str:
    """Ask for one value; the default is the old value, or the secret just typed."""
    if key == "client_secret":
        text: str = click.prompt(
            "Client secret (hidden)",
            default=old if again else None,
            show_default=False,
            hide_input=True,
            err=True,
        )
    elif key == "region":
        text = click.prompt("Region", default=old or "americas", type=_REGIONS, err=True)
    else:
        text = click.prompt(_QUESTIONS[key], default=old or None, err=True)
    return text.strip()


def _check(target: Target, values: Mapping[str, str]) -> Step:
    """Check the settings as ``wosdk check`` does, and return the last step."""
    variables = {variable_of(key): value for key, value in values.items()}
    settings = Settings.from_env(variables)
    report = StepReport(sys.stderr)
    with Runner(target, variables) as runner:
        runner.run(report.add_all(steps(settings, runner.company, target.deadline, target.verbose)))
    return report.last


# --- wosdk check -------------------------------------------------------------------------------


@click.command("check")
@json_option
@output_option
@target_options(hidden=True)
@click.pass_context
def check_command(ctx: click.Context, as_json: bool, output: Path | None) -> None:
    """Diagnose the connection: settings, credentials, token, discovery and one read.

    Each step shows its host and proxy. The log-in and the read time out after 10 s each, or after --deadline.
    The check changes nothing and shows no secrets. Exit status: 2 bad setting, 3 refused, 5 log-in failed, 6
    unreachable.

    \b
      wosdk check
      wosdk --profile stage check --json
    """
    target, started = target_of(ctx), time.monotonic()
    with opened(output) as file:
        report = StepReport(None if as_json else file)
        try:
            settings = Settings.from_env(profile=target.profile, company=target.company)
            with Runner(target) as runner:
                company, seconds = runner.company, time.monotonic() - started
                detail = f"Company {company.name!r} in region {settings.region.name}"
                report.add(Step(step="settings", seconds=seconds, detail=detail))
                runner.run(report.add_all(steps(settings, company, target.deadline, target.verbose)))
        except ConfigurationError as error:
            report.add(failed_step("settings", error, time.monotonic() - started))
        if as_json:
            report.write_json(file)
    ctx.exit(report.last.status)
