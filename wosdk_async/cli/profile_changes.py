"""Changes of a profile: shown, asked about, and written with the file of its secret."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.exit_codes import CliError, Exit, say

if TYPE_CHECKING:
    from wosdk_async.cli.profile_file import ProfileFile

__all__ = [
    "ADDRESS_KEYS",
    "CREDENTIAL_KEYS",
    "DEFAULT_PROFILE",
    "PROFILE_KEYS",
    "text_of",
    "variable_of",
    "write_profile",
]

DEFAULT_PROFILE = "default"
"""The profile that is used when none is named and no variable is set."""

ADDRESS_KEYS = ("token_url", "locator_url", "trusted_hosts")
CREDENTIAL_KEYS = ("client_id", "client_secret", "client_secret_file", "credentials_command")
PROFILE_KEYS = ("company", "region", *CREDENTIAL_KEYS, *ADDRESS_KEYS)
"""Keys of a profile in the order in which they are written."""

_SUFFIX = ".secret"
_HIDDEN = {"client_secret": "(a secret)", "credentials_command": "(a command)"}


def variable_of(key: str) -> str:
    """Return the environment variable of a key."""
    return f"WOSDK_{key.upper()}"


def text_of(profile: Mapping[str, Any], key: str) -> str:
    """Return a value of a profile as text; a list as its elements with commas."""
    value = profile.get(key, "")
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def write_profile(file: ProfileFile, name: str, values: Mapping[str, str], *, ask: bool) -> None:
    """Write the profile, and a typed secret beside it, if the user agrees.

    The secret gets a new file, and the old file is removed last: the old profile works until then.

    Args:
        file: the settings file.
        name: the profile.
        values: values of the profile, by key; ``client_secret`` is a secret that was typed.
        ask: whether the user is asked before an existing profile changes.

    Raises:
        CliError: the profile cannot be written, or the user said no or cannot be asked.
    """
    secret = values.get("client_secret")
    secret_file = _new_secret_file(file.path.parent.absolute(), name) if secret is not None else None
    changes: dict[str, str | None] = dict.fromkeys(PROFILE_KEYS) | dict(values) | {"client_secret": None}
    if secret_file is not None:
        changes["client_secret_file"] = str(secret_file)
    old = file.profile(name)
    changes = {key: value for key, value in changes.items() if text_of(old, key) != (value or "")}
    text = file.replaced(name, changes)  # an error of the file is reported before the question
    if old and changes:
        _confirm(name, file.path, old, changes, ask=ask)
    if changes:
        _write(file, text, secret_file, secret)
    _remove_old_secret(file.path, name, text_of(old, "client_secret_file"), changes)
    named = "" if name == DEFAULT_PROFILE else f" --profile {name}"
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
    """Return the path of a file that does not exist yet."""
    usual = folder / f"{name}{_SUFFIX}"
    return folder / f"{name}.{token_hex(4)}{_SUFFIX}" if os.path.lexists(usual) else usual


def _remove_old_secret(settings: Path, name: str, old: str, changes: Mapping[str, str | None]) -> None:
    """Remove the secret file that an earlier log-in made, if the profile no longer names it."""
    made = Path(old)
    own = re.fullmatch(rf"{re.escape(name)}(\.[0-9a-f]{{8}})?{re.escape(_SUFFIX)}", made.name)
    if "client_secret_file" in changes and own and made.parent == settings.parent.absolute():
        with suppress(OSError):  # the new profile does not need it
            made.unlink()


def _confirm(
    name: str,
    path: Path,
    old: Mapping[str, Any],
    changes: Mapping[str, str | None],
    *,
    ask: bool,
) -> None:
    """Show the changes of a profile, and ask."""
    from wosdk_async.cli.runner import is_interactive

    say(f"profile {name!r} of {path} changes:")
    for key, value in changes.items():
        before, after = (text and _HIDDEN.get(key, text) for text in (text_of(old, key), value))
        say(f"{key}: {before or 'not set'} -> {after or 'not set'}")
    if not ask:
        return
    if not is_interactive():
        raise CliError("stdin is not a terminal, so you cannot be asked; add --yes to change it all the same")
    if not click.confirm("Change it?", err=True):
        raise CliError("nothing was written", Exit.SOME)


def _say_variables() -> None:
    """Name the variables that are set: they come before the profile."""
    names = map(variable_of, PROFILE_KEYS)
    if found := [name for name in names if os.environ.get(name)]:
        say(f"{', '.join(found)}: variables come before the profile, as long as they are set")
