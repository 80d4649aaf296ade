"""The token endpoint: client credentials, in the form or as HTTP Basic (facts 1)."""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, unquote_plus

from .store import Company
from .tokens import EXPIRES_IN, Tokens

__all__ = ["token_reply"]


def token_reply(
    tokens: Tokens, companies: Iterable[Company], form: bytes, authorization: str | None
) -> tuple[int, Mapping[str, object]]:
    """Status and body of a token request; the refusals are RFC 6749's (facts 1 has none)."""
    fields = dict(parse_qsl(form.decode("latin-1")))  # reads any byte; a wrong one fails to match
    if fields.get("grant_type") != "client_credentials":
        return 400, {"error": "unsupported_grant_type"}
    client_id, secret = _basic(authorization) or (
        fields.get("client_id", ""),
        fields.get("client_secret", ""),
    )
    for company in companies:
        if _same(company.client_id, client_id) and _same(company.client_secret, secret):
            token = tokens.issue(company)
            return 200, {"access_token": token, "token_type": "bearer", "expires_in": EXPIRES_IN}
    return 400, {"error": "invalid_client"}


def _basic(authorization: str | None) -> tuple[str, str] | None:
    scheme, _, encoded = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        pair = base64.b64decode(encoded.strip(), validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return "", ""
    client_id, _, secret = pair.partition(":")
    return unquote_plus(client_id), unquote_plus(secret)


def _same(known: str, sent: str) -> bool:
    return hmac.compare_digest(known.encode(), sent.encode("utf-8", "surrogatepass"))
