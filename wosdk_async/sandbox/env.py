"""Settings that connect a client to a Company, as environment variables or profiles."""

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

Env = dict[str, str]

_ASSIGNMENTS = re.compile(
    r"WOSDK_TOKEN_URL=.*\nWOSDK_LOCATOR_URL=(?P<root>.*)\nWOSDK_COMPANY=.*\n"
    r"WOSDK_CLIENT_ID=sandbox-client.*\nWOSDK_CLIENT_SECRET=.*\n(WOSDK_TRUSTED_HOSTS=.*\n)?"
    r"(# stop the server: kill (?P<process>[0-9]+)\n)?"
)


def env_of(company: StoredCompany, root: str) -> Env:
    """Return environment variables that connect a client to a Company of the sandbox at ``root``."""
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
    """Return the host that a client must be told to trust with its token; empty if none."""
    host = urlsplit(root).hostname or ""
    return "" if is_loopback(host) and not host.endswith(".localhost") else host


def assignments(env: Mapping[str, str]) -> str:
    """Return the variables as shell lines ``KEY=VALUE``, quoted where needed."""
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in env.items())


def are_assignments(text: str) -> bool:
    """Return whether ``text`` has the format that `write_assignments` writes."""
    return _ASSIGNMENTS.fullmatch(text) is not None


def server_of(text: str) -> tuple[tuple[str, int] | None, int | None]:
    """Return the server's address and process id that `write_assignments` wrote; each is None if unknown."""
    found = _ASSIGNMENTS.fullmatch(text)
    if found is None:
        return None, None
    try:
        parts = urlsplit(found["root"].strip("'"))  # shlex quotes an IPv6 address
        address = (parts.hostname or "", parts.port or 0)
    except ValueError:
        return None, None
    return address, int(found["process"]) if found["process"] else None


def write_assignments(env: Mapping[str, str], path: Path, pid: int) -> None:
    """Write the variables atomically to an owner-only file; if ``path`` is a link, to its target.

    A comment in the file shows the command that kills the server, whose process id is ``pid``.
    """
    try:
        with replace_file(path, mode=0o600, named_by_user=True) as file:
            file.write(f"{assignments(env)}# stop the server: kill {pid}\n".encode())
    except OSError as error:
        remedy = "Choose a file in a writable folder."
        raise OSError(error.errno, f"Cannot write {path}: {error.strerror}. {remedy}") from error


def profiles(companies: Iterable[StoredCompany], root: str) -> str:
    """Return a TOML settings file with one profile per Company, named after the Company."""
    lines: list[str] = []
    for company in companies:
        lines.append(f"[profiles.{json.dumps(company.name)}]")
        for name, value in env_of(company, root).items():
            written = json.dumps(value.split(",") if name == "WOSDK_TRUSTED_HOSTS" else value)
            lines.append(f"{name.removeprefix('WOSDK_').lower()} = {written}")
        lines.append("")
    return "\n".join(lines)
