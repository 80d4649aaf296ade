"""Settings that connect a client to a Company: environment variables, or profiles of a settings file."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from wosdk_async.regular_files import replace_file
from wosdk_async.sandbox.access import is_loopback
from wosdk_async.sandbox.storage.companies import StoredCompany

__all__ = ["Env", "are_assignments", "assignments", "env_of", "profiles", "write_assignments"]

Env = dict[str, str]

_WRITTEN = re.compile(
    r"WOSDK_TOKEN_URL=.*\nWOSDK_LOCATOR_URL=.*\nWOSDK_COMPANY=.*\n"
    r"WOSDK_CLIENT_ID=sandbox-client.*\nWOSDK_CLIENT_SECRET=.*\n(WOSDK_TRUSTED_HOSTS=.*\n)?"
)


def env_of(company: StoredCompany, root: str) -> Env:
    """Return the environment variables that connect a client to a Company of the sandbox at ``root``."""
    env = {
        "WOSDK_TOKEN_URL": f"{root}/OAuth/token",
        "WOSDK_LOCATOR_URL": root,
        "WOSDK_COMPANY": company.name,
        "WOSDK_CLIENT_ID": company.client_id,
        "WOSDK_CLIENT_SECRET": company.client_secret,
    }
    hosts = ",".join(filter(None, (company.host, _untrusted_host(root))))
    return env | {"WOSDK_TRUSTED_HOSTS": hosts} if hosts else env


def _untrusted_host(root: str) -> str:
    """Return the host of an address that a client trusts only if told to; else an empty text.

    No token is sent to such a host without https, nor may a locator name it.
    """
    host = urlsplit(root).hostname or ""
    return "" if is_loopback(host) and not host.endswith(".localhost") else host


def assignments(env: Mapping[str, str]) -> str:
    """Return the variables for a shell: a line ``KEY=VALUE`` for each, quoted where needed."""
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in env.items())


def are_assignments(text: str) -> bool:
    """Return whether ``text`` came from :func:`assignments`, for any Company of any sandbox."""
    return _WRITTEN.fullmatch(text) is not None


def write_assignments(env: Mapping[str, str], path: Path) -> None:
    """Write the variables to a file that only its owner can read; a reader sees all of them or none.

    If ``path`` is a symbolic link, the file that it points to is replaced. Raises OSError if it cannot be
    written.
    """
    try:
        with replace_file(path, mode=0o600, named_by_user=True) as file:
            file.write(assignments(env).encode())
    except OSError as error:
        remedy = "Name a file in a folder that can be written."
        raise OSError(error.errno, f"Cannot write {path}: {error.strerror}. {remedy}") from error


def profiles(companies: Iterable[StoredCompany], root: str) -> str:
    """Return a settings file in TOML, with one profile for each Company, named after it."""
    lines: list[str] = []
    for company in companies:
        lines.append(f"[profiles.{json.dumps(company.name)}]")
        for name, value in env_of(company, root).items():
            written = json.dumps(value.split(",") if name == "WOSDK_TRUSTED_HOSTS" else value)
            lines.append(f"{name.removeprefix('WOSDK_').lower()} = {written}")
        lines.append("")
    return "\n".join(lines)
