"""Request properties that rules can match: operation and Company."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.schema.bodies import (
    Record,
    client_credentials,
    get_ignore_case,
    parse_form,
    parse_query,
    peek_json,
    request_id_of,
)
from wosdk_async.sandbox.schema.dialect import SPEC
from wosdk_async.sandbox.service.commands.registry import find_command

__all__ = ["FAMILIES", "RequestMatch", "header", "known_operation", "match_of"]

FAMILIES = ("token", "discovery", "retrieve", "query", "create", "update", "delete", "command", "other")
_BASE = {"GET": "retrieve", "POST": "create", "PUT": "update", "DELETE": "delete"}
_DISCOVERY = "getcompanywsdkurlcommand"


@attrs.frozen
class RequestMatch:
    """Lower-case names of a request's operations and Company, and the RequestId."""

    operations: frozenset[str]
    company: str | None
    request_id: str | None = None


def known_operation(name: str) -> str | None:
    """Normalize the operation or command name of a rule; return None if unknown."""
    return name.lower() if name.lower() in FAMILIES else _command_name(name.split("/"))


def match_of(scope: Mapping[str, Any], body: bytes, owner: Callable[[str], str | None]) -> RequestMatch:
    """Return what rules can match in a request; ``owner`` maps client ids to Company names."""
    parts = [part for part in scope["path"].split("/") if part]
    head, rest = [part.lower() for part in parts[:3]], parts[3:]
    if head[:2] == ["oauth", "token"]:
        client_id, _ = client_credentials(parse_form(body), header(scope, b"authorization"))
        return RequestMatch(frozenset({"token"}), _normalized(owner(client_id)))
    sent = peek_json(body)
    operations, wanted = _operations_of(head[2] if len(head) == 3 else "", rest, scope["method"], sent)
    company = wanted or header(scope, b"companyname")
    return RequestMatch(
        operations, _normalized(company), request_id_of(parse_query(scope["query_string"]), sent)
    )


def _operations_of(
    family: str, rest: list[str], method: str, sent: Record
) -> tuple[frozenset[str], str | None]:
    """Return the operations, and the Company of a discovery request."""
    if family == "corrigoservice":
        return frozenset({"discovery"}), rest[1] if len(rest) == 2 else None
    if family == "cmd":
        name = _command_name(rest) or "/".join(rest).lower()
        if name == _DISCOVERY:
            command = get_ignore_case(sent, "Command")
            company = get_ignore_case(command, "CompanyName") if isinstance(command, dict) else None
            return frozenset({"discovery", name}), company if isinstance(company, str) else None
        return frozenset({"command", name}), None
    if family == "base":
        return frozenset({_BASE.get(method, "other")}), None
    return frozenset({"query" if family == "query" else "other"}), None


def header(scope: Mapping[str, Any], name: bytes) -> str | None:
    """Return the first value of a header by lower-case name."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def _normalized(name: str | None) -> str | None:
    return name and name.strip().lower()


def _command_name(segments: list[str]) -> str | None:
    try:
        return find_command(segments, SPEC).name.lower()  # SPEC knows all paths
    except Refusal:
        return None
