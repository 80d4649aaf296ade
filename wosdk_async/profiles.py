"""The settings file, and the profiles in it: their keys, as variables."""

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
from wosdk_async.regular_files import read_regular

__all__ = ["NAMES", "PREFIX", "default_profile", "named_profile", "profile_variables", "settings_file"]

_log = logging.getLogger("wosdk_async")

PREFIX = "WOSDK_"
"""Of the variables; the keys of a profile are their names without it, in lower case."""
_DEFAULT = "default"  # the profile that is read when nothing else is set
_OTHERS = 0o077  # permissions of group and others
_MAX_SIZE = 1 << 20  # bytes of the settings file; it has a few hundred
NAMES = frozenset(
    [
        "COMPANY",
        "CLIENT_ID",
        "CLIENT_SECRET",
        "CLIENT_SECRET_FILE",
        "CREDENTIALS_COMMAND",
        "REGION",
        "TOKEN_URL",
        "LOCATOR_URL",
        "TRUSTED_HOSTS",
    ]
)
"""Settings that a profile may have."""


def named_profile(name: str, env: Mapping[str, str]) -> dict[str, str]:
    """Return a profile as variables.

    Raises:
        ConfigurationError: the file cannot be read, or has no such profile, or a key is not a setting.
    """
    path = settings_file(env)
    data, mode = _file(path)
    profiles: Any = data.get("profiles")
    found = profiles.get(name) if isinstance(profiles, dict) else None
    if not isinstance(found, dict):
        known = ", ".join(profiles) if isinstance(profiles, dict) else "none"
        raise ConfigurationError(f"{path} has no [profiles.{name}]; it has {known}")
    if any(isinstance(each, dict) and each.get("client_secret") for each in profiles.values()):
        _warn_if_others_read(path, mode)
    return profile_variables(path, name, found)


def profile_variables(path: Path, name: str, profile: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys of a profile as variables.

    Raises:
        ConfigurationError: a key is unknown or has no text; the message holds no value.
    """
    return {f"{PREFIX}{key.upper()}": _text(path, name, key, value) for key, value in profile.items()}


def default_profile(env: Mapping[str, str], company: str | None) -> dict[str, str]:
    """Return the profile ``default`` as variables; none if there is none, or if it is of another Company."""
    try:
        path = settings_file(env)
    except RuntimeError:  # a user without a home
        return {}
    profiles = _file(path)[0].get("profiles") if os.path.exists(path) else None
    if not isinstance(profiles, dict) or _DEFAULT not in profiles:
        return {}
    found = named_profile(_DEFAULT, env)
    return found if company is None or company == found.get("WOSDK_COMPANY") else {}


def settings_file(env: Mapping[str, str]) -> Path:
    """Return the path of the settings file, which may not be there."""
    if given := env.get("WOSDK_CONFIG"):
        return Path(given)
    base = env.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "wosdk" / "config.toml"


def _file(path: Path) -> tuple[dict[str, Any], int]:
    """Return the content of the settings file and its mode."""
    import tomllib

    try:
        content, mode = read_regular(path, _MAX_SIZE + 1)
        if len(content) <= _MAX_SIZE:
            return tomllib.loads(content.decode()), mode
        why = f"cannot be read: it is larger than {_MAX_SIZE:,} bytes"
    except OSError as cause:
        why = f"cannot be read: {cause.strerror}"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as cause:
        why = f"is not TOML: {cause}"
    except ValueError as cause:  # a null character in the path, or a number of thousands of digits
        why = f"cannot be read: {cause}"
    except RecursionError:
        why = "is not TOML: it is nested too deeply"
    # Not in the handler: the cause, an error of decoding, holds the file, which may hold a secret.
    raise ConfigurationError(f"the settings file {path} {why}")


_warned: set[Path] = set()  # two threads may both warn of a file, when they read it first at the same time


def _warn_if_others_read(path: Path, mode: int) -> None:
    """Warn once of a file with a secret that others can read."""
    if os.name == "posix" and mode & _OTHERS and path not in _warned:
        _warned.add(path)
        rights = oct(stat.S_IMODE(mode))
        _log.warning(
            "the settings file %s holds a client_secret and others can read it (%s); chmod 600 %s",
            path,
            rights,
            shlex.quote(str(path)),
        )


def _text(path: Path, profile: str, key: str, value: Any) -> str:
    where = f"{path}: profiles.{profile}.{key}"
    if key.upper() not in NAMES:
        known = ", ".join(sorted(NAMES)).lower()
        raise ConfigurationError(f"{where} is not a setting; settings are {known}")
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    if not isinstance(value, str):
        raise ConfigurationError(f"{where} is {kind_of(value)}; it takes text")
    return value
