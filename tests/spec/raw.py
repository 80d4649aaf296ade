"""Requests of a plain HTTP caller, as the specification writes them, and what comes back."""

from __future__ import annotations

from typing import Any

from tests.sandbox.company import Caller


def refusal(acme: Caller, method: str, path: str, body: Any = None) -> str:
    """Return the text of a refusal by a business rule."""
    response = acme.send(method, path, body)
    assert (response.status_code, response.json()["ErrorCode"]) == (400, "BUSINESS_LOGIC_ERROR"), (
        response.text
    )
    return str(response.json()["ErrorMessage"])


def put(entity: str, properties: list[str], **members: Any) -> tuple[str, str, Any]:
    return "PUT", f"base/{entity}", {"Properties": properties, "Entity": members}


def post(entity: str, **members: Any) -> tuple[str, str, Any]:
    return "POST", f"base/{entity}", {"Entity": members}


def command(name: str, **members: Any) -> tuple[str, str, Any]:
    return "POST", f"cmd/{name}", {"Command": members}


def made(acme: Caller, entity: str, **members: Any) -> int:
    return int(acme.ok(*post(entity, **members))["EntitySpecifier"]["Id"])
