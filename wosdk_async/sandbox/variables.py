"""What leads a client to a Company: environment variables, and the same as profiles of a settings file."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .companies import Company

__all__ = ["Variables", "profiles", "variables"]

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
