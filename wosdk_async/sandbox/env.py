"""What leads a client to a Company: environment variables, and the same as profiles of a settings file."""

from __future__ import annotations

import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.database import make_private

__all__ = ["Variables", "are_assignments", "assignments", "profiles", "variables", "write_assignments"]

Variables = dict[str, str]

_WRITTEN = re.compile(
    r"WOSDK_TOKEN_URL=.*\nWOSDK_LOCATOR_URL=.*\nWOSDK_COMPANY=.*\n"
    r"WOSDK_CLIENT_ID=sandbox-client.*\nWOSDK_CLIENT_SECRET=.*\n(WOSDK_TRUSTED_HOSTS=.*\n)?"
)


def variables(company: StoredCompany, root: str) -> Variables:
    """The environment variables that lead a client to a Company.

    Args:
        root: where the sandbox is served, without the last slash.
    """
    found = {
        "WOSDK_TOKEN_URL": f"{root}/OAuth/token",
        "WOSDK_LOCATOR_URL": root,
        "WOSDK_COMPANY": company.name,
        "WOSDK_CLIENT_ID": company.client_id,
        "WOSDK_CLIENT_SECRET": company.client_secret,
    }
    # A client takes no host that it was not told of, save loopback addresses
    return found | {"WOSDK_TRUSTED_HOSTS": company.host} if company.host else found


def assignments(variables: Mapping[str, str]) -> str:
    """Return the variables as a shell reads them, one ``KEY=VALUE`` a line, quoted where that is needed."""
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in variables.items())


def are_assignments(text: str) -> bool:
    """Whether a text is what :func:`assignments` gave for a Company of a sandbox, this one or another."""
    return _WRITTEN.fullmatch(text) is not None


def write_assignments(variables: Mapping[str, str], path: Path) -> None:
    """Write the variables to a file that only its owner can read; it is never there in part.

    A link stays, and what it leads to is written.

    Raises:
        OSError: the file cannot be written.
    """
    place = Path(os.path.realpath(path))
    try:
        with tempfile.TemporaryDirectory(prefix=f".{place.name}.", dir=place.parent) as folder:
            part = Path(folder) / place.name
            make_private(part)
            part.write_text(assignments(variables), encoding="utf-8")
            part.replace(place)
    except OSError as error:
        remedy = "Name a file in a folder that can be written."
        raise OSError(error.errno, f"Cannot write {path}: {error.strerror}. {remedy}") from error


def profiles(companies: Iterable[StoredCompany], root: str) -> str:
    """The same for several Companies, as TOML: one profile each, by the Company's name."""
    return "\n".join(_profile(company, root) for company in companies)


def _profile(company: StoredCompany, root: str) -> str:
    names = variables(company, root)
    lines = [
        f"{name.removeprefix('WOSDK_').lower()} = {json.dumps([value] if name.endswith('HOSTS') else value)}"
        for name, value in names.items()
    ]
    return "\n".join([f"[profiles.{json.dumps(company.name)}]", *lines, ""])
