"""Request bodies: JSON with exact numbers and case-insensitive member names."""

from __future__ import annotations

import base64
import binascii
import codecs
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

import msgspec

from wosdk_async.sandbox.errors import Refusal, incorrect_model

Record = dict[str, Any]

_MAX_DEPTH = 100  # levels. Not shown; assumed: a limit. Much deeper nesting would exhaust the stack

dump = msgspec.json.Encoder(decimal_format="number").encode
"""Encoder for compact JSON; a Decimal becomes a number with all its digits."""
load = msgspec.json.Decoder(float_hook=Decimal).decode
"""Decoder for JSON, with fractions as Decimal. Unlike `peek_json`, it raises msgspec errors."""


def peek_json(raw: bytes) -> Record:
    """Decode a request's JSON object; return ``{}`` for any other bytes."""
    try:
        value = _decode(raw.removeprefix(codecs.BOM_UTF8))
    except (msgspec.DecodeError, UnicodeDecodeError, InvalidOperation, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def require_body(body: Record) -> Record:
    """Return the body. Refuse an empty body (spec 4.9 rule 4) and deep nesting."""
    if not body:
        raise Refusal(400, "EMPTY_INPUT_PARAMETER", "Field 'body' is null or empty.")
    if _is_too_deep(body):
        raise incorrect_model(f"The body nests deeper than {_MAX_DEPTH} levels.")
    return body


def get_ignore_case(container: Mapping[str, Any], name: str) -> Any:
    """Return the member ``name``, ignoring case (facts 3.3); None if missing."""
    if name in container:
        return container[name]
    wanted = name.lower()
    return next((value for key, value in container.items() if key.lower() == wanted), None)


def object_list(container: Record, name: str) -> list[Record]:
    """Return a member that is a list of objects, empty if missing; refuse other values."""
    found = get_ignore_case(container, name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise incorrect_model(f"{name} must be a list of objects.")
    return found


def parse_query(raw: bytes) -> dict[str, str]:
    """Parse a URL query into parameters by lower-case name."""
    pairs = parse_qsl(raw.decode("latin-1"), keep_blank_values=True)
    return {name.lower(): value for name, value in pairs}


def request_id_of(query: Mapping[str, str], body: Record) -> str | None:
    """Return the ``RequestId`` in the query or body (facts 3.1, 5). Not shown; assumed: numbers are valid."""
    for value in (query.get("requestid"), get_ignore_case(body, "RequestId")):
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
    return None


def client_credentials(form: Mapping[str, str], authorization: str | None) -> tuple[str, str]:
    """Return a token request's client id and secret, from a Basic Authorization header or from the form."""
    scheme, _, encoded = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return form.get("client_id", ""), form.get("client_secret", "")
    try:
        pair = base64.b64decode(encoded.strip(), validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return "", ""
    client_id, _, secret = pair.partition(":")
    return unquote_plus(client_id), unquote_plus(secret)


def parse_form(raw: bytes) -> dict[str, str]:
    """Parse form fields; any bytes are valid."""
    return dict(parse_qsl(raw.decode("latin-1")))


def _decode(raw: bytes) -> Any:
    try:
        return load(raw)
    except msgspec.DecodeError:
        # facts 3.3: an extra closing brace after the JSON was accepted
        shorter = raw.rstrip()
        if not shorter.endswith(b"}"):
            raise
        return load(shorter[:-1])


def _is_too_deep(body: Record) -> bool:
    level: list[dict[str, object] | list[object]] = [body]
    for _ in range(_MAX_DEPTH):
        values = (each.values() if isinstance(each, dict) else each for each in level)
        level = [inner for each in values for inner in each if isinstance(inner, dict | list)]
        if not level:
            return False
    return True
