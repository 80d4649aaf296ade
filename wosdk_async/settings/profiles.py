"""Settings file, its profiles as variables, and the check for files that other users can change."""

from __future__ import annotations

import logging
import os
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wosdk_async.codec.checks import kind_of
from wosdk_async.errors import ConfigurationError
from wosdk_async.regular_files import parse_toml, read_regular
from wosdk_async.text.secret import Secret, as_secret, without_login
from wosdk_async.text.suggestions import suggestion

_log = logging.getLogger("wosdk_async")

PREFIX = "WOSDK_"
"""Prefix of the variables. Profile keys are the variable names without this prefix, in lower case."""
DEFAULT = "default"
"""Profile used if none is named, unless other settings rule it out."""
_MAX_SIZE = 1 << 20  # maximum bytes of the settings file, which usually has a few hundred
CREDENTIALS = ("CLIENT_ID", "CLIENT_SECRET", "CLIENT_SECRET_FILE", "CREDENTIALS_COMMAND")
ADDRESSES = ("TOKEN_URL", "LOCATOR_URL", "TRUSTED_HOSTS")
NAMES = ("COMPANY", "REGION", *CREDENTIALS, *ADDRESSES)
"""Settings allowed in a profile, in the order in which the file lists them."""
# Only the values of these settings may be shown, because a misspelt name may hold a secret.
_SHOWN = {*NAMES, "PROFILE", "CONFIG"} - {"CLIENT_SECRET", "CREDENTIALS_COMMAND"}


def hidden_variables(environ: Mapping[str, Any] | None) -> Any:
    """Return the variables that this library reads, with secrets hidden; return a non-mapping unchanged."""
    if not isinstance(environ, Mapping):
        return environ
    ours = {name: value for name, value in environ.items() if name.startswith(PREFIX)}
    base = {name: environ[name] for name in ("XDG_CONFIG_HOME",) if name in environ}
    return {name: _hidden(name.removeprefix(PREFIX), value) for name, value in ours.items()} | base


def _hidden(name: str, value: Any) -> Any:
    """Return a setting's value, hidden unless the setting is known not to be secret."""
    if name.upper() not in _SHOWN:
        return as_secret(value)
    return without_login(value) if name.upper() in ADDRESSES and isinstance(value, str) else value


def named_profile(name: str, env: Mapping[str, Any]) -> dict[str, Any]:
    """Return a profile as variables.

    Raises ConfigurationError if the profile is missing or invalid, or has a command that others can change.
    """
    path = settings_file(env)
    data, about = _file(path, env)
    profiles: Any = data.get("profiles")
    found = profiles.get(name) if isinstance(profiles, dict) else None
    if not isinstance(found, dict):
        known = ", ".join(profiles) if isinstance(profiles, dict) else "none"
        raise ConfigurationError(f"{path} has no [profiles.{name}]; it has {known}")
    if found.get("credentials_command") and (why := access_of_others(path, about, SETTINGS)):
        raise ConfigurationError(
            f"{path}: profiles.{name}.credentials_command is not run, because other users can change the"
            f" file: {why}"
        )
    has_secret = any(isinstance(each, dict) and each.get("client_secret") for each in profiles.values())
    warn_of_others("the settings file", path, about, PRIVATE if has_secret else SETTINGS)
    return profile_variables(path, name, found)


def profile_variables(path: Path, name: str, profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return a profile's keys as variables. Raises ConfigurationError, whose message omits the value."""
    return {f"{PREFIX}{key.upper()}": _text(path, name, key, value) for key, value in profile.items()}


def default_profile(env: Mapping[str, Any], company: str | None) -> dict[str, Any]:
    """Return the profile ``default`` as variables; empty if missing, or if it belongs to another Company."""
    try:
        path = settings_file(env)
    except RuntimeError:  # the user has no home directory
        return {}
    profiles = _file(path, env)[0].get("profiles") if os.path.exists(path) else None
    if not isinstance(profiles, dict) or DEFAULT not in profiles:
        return {}
    found = named_profile(DEFAULT, env)
    return found if company is None or company == found.get("WOSDK_COMPANY") else {}


def settings_file(env: Mapping[str, Any]) -> Path:
    """Return the path of the settings file, which may not exist."""
    if given := env.get("WOSDK_CONFIG"):
        return Path(given)
    base = env.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "wosdk" / "config.toml"


def _file(path: Path, env: Mapping[str, Any]) -> tuple[dict[str, Any], os.stat_result]:
    """Return the settings file's content, owner and mode."""
    content = b""
    try:
        content, about = read_regular(path, _MAX_SIZE)
    except (OSError, ValueError) as cause:  # ValueError: the path contains a null character
        why = f"cannot be read: {getattr(cause, 'strerror', cause)}"
    else:
        try:
            return _without_secrets(parse_toml(content.decode())), about
        except ValueError as cause:  # from parse_toml, or a UnicodeDecodeError
            why = f"is not TOML: {cause}"
    # Raised outside the handler, because the chained decoding error would contain the file, and so perhaps a
    # secret.
    del content
    source = " (from WOSDK_CONFIG)" if env.get("WOSDK_CONFIG") else ""
    raise ConfigurationError(f"the settings file {path}{source} {why}")


def _without_secrets(data: dict[str, Any]) -> dict[str, Any]:
    profiles = data.get("profiles")
    if isinstance(profiles, dict):
        for profile in profiles.values():
            if isinstance(profile, dict):
                profile |= {key: _hidden(key, value) for key, value in profile.items()}
    return data


def _text(path: Path, profile: str, key: str, value: Any) -> str | Secret:
    where = f"{path}: profiles.{profile}.{key}"
    if key.upper() not in NAMES:
        known = ", ".join(sorted(NAMES)).lower()
        near = suggestion(key, map(str.lower, NAMES))
        raise ConfigurationError(f"{where} is not a setting{near or f'; settings are {known}'}")
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    if not isinstance(value, str | Secret):
        raise ConfigurationError(f"{where} is {kind_of(value)}; it must be text")
    return value


# --- other users' access to a file; root does not count ---------------------------------------------

PRIVATE, SETTINGS = 0o077, 0o022
"""Permissions denied to other users: all for files with secrets, write access for other settings files."""
_warned: set[str] = set()  # files already warned of; harmless if two threads both warn of one


def is_foreign(found: os.stat_result) -> bool:
    """Return whether a file belongs to neither this user nor root; False on Windows."""
    return os.name == "posix" and found.st_uid not in (0, os.geteuid())


def access_of_others(
    path: str | Path, found: os.stat_result, denied: int, *, folders: bool = True
) -> str | None:
    """Describe other users' access to a file, with the remedy.

    Return None if the access is acceptable, and on Windows. Others may read files owned by root,
    because that is root's decision. With ``folders``, also check that others cannot replace the file through
    parent folders or links. In a sticky folder, only the file's owner can replace it.
    """
    if os.name != "posix":
        return None
    above = {os.path.dirname(os.path.abspath(path)), os.path.dirname(os.path.realpath(path))}
    for each, seen in ((path, found), *((each, os.stat(each)) for each in sorted(above) if folders)):
        mode, quoted = stat.S_IMODE(seen.st_mode), shlex.quote(str(each))
        if is_foreign(seen):
            return f"{each} belongs to another user; run chown {os.geteuid()} {quoted}"
        if each is path and denied == PRIVATE and mode & denied and seen.st_uid == os.geteuid():
            private = "700" if stat.S_ISDIR(seen.st_mode) else "600"
            return f"others can read or change {each} ({mode:o}); run chmod {private} {quoted}"
        if mode & SETTINGS and (each is path or not mode & stat.S_ISVTX):
            return f"others can write to {each}; run chmod go-w {quoted}"
    return None


def warn_of_others(what: str, path: str | Path, found: os.stat_result, denied: int) -> None:
    """Warn once about a settings or secrets file to which other users have access."""
    if str(path) not in _warned and (why := access_of_others(path, found, denied)):
        _warned.add(str(path))
        _log.warning("%s %s is open to other users: %s", what, path, why)
