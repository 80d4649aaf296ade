"""What leads a client to a Company: environment variables, and the same as profiles of a settings file."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from .companies import Company
from .database import make_private

__all__ = ["Variables", "assignments", "profiles", "variables", "write_assignments"]

Variables = dict[str, str]


def variables(company: Company, root: str) -> Variables:
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


def write_assignments(variables: Mapping[str, str], path: Path) -> None:
    """Write the variables to a file that only its owner can read; it is never there in part.

    Raises:
        OSError: the file cannot be written.
    """
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
            part = Path(folder) / path.name
            make_private(part)
            part.write_text(assignments(variables), encoding="utf-8")
            part.replace(path)
    except OSError as error:
        remedy = "Name a file in a folder that can be written."
        raise OSError(error.errno, f"Cannot write {path}: {error.strerror}. {remedy}") from error


def profiles(companies: Iterable[Company], root: str) -> str:
    """The same for several Companies, as TOML: one profile each, by the Company's name."""
    return "\n".join(_profile(company, root) for company in companies)


def _profile(company: Company, root: str) -> str:
    names = variables(company, root)
    lines = [
        f"{name.removeprefix('WOSDK_').lower()} = {json.dumps([value] if name.endswith('HOSTS') else value)}"
        for name, value in names.items()
    ]
    return "\n".join([f"[profiles.{json.dumps(company.name)}]", *lines, ""])
