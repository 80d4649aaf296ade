"""Tokens of the sandbox: given for client credentials, checked for each request."""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import parse_qsl, unquote_plus

import attrs

from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.storage.store import StoredCompany

__all__ = ["EXPIRES_IN", "Tokens", "token_reply"]

EXPIRES_IN = 1199  # seconds, as the sample of facts 1 says
_LIFETIME = 1200 * 10**9
_REMEMBERED = 100_000  # an expired token stays known, to be told from a wrong one


@attrs.define
class Tokens:
    """The tokens handed out.

    Args:
        clock: nanoseconds since 1970.
    """

    clock: Callable[[], int]
    _issued: dict[str, tuple[int, int]] = attrs.field(factory=dict, repr=False)

    def issue(self, company: StoredCompany) -> str:
        now = self.clock()
        token = secrets.token_urlsafe(32)
        self._issued[token] = (company.id, now + _LIFETIME)
        if len(self._issued) > _REMEMBERED:
            del self._issued[next(iter(self._issued))]
        return token

    def expire(self, authorization: str | None) -> None:
        """End the life of a header's token now."""
        token = (authorization or "").strip().partition(" ")[2].strip()
        if token in self._issued:
            company, end = self._issued[token]
            self._issued[token] = (company, min(end, self.clock()))

    def check(self, authorization: str | None) -> int:
        """The id of the Company that a header's token was issued for.

        Raises:
            Refusal: the token failures of facts 1. The texts other than the expired one are assumed.
        """
        if authorization is None:
            raise Refusal(401, "MISSING_AUTHORIZATION_HEADER", "No Authorization header was sent.")
        scheme, _, token = authorization.strip().partition(" ")
        if scheme.lower() != "bearer":
            raise Refusal(403, "MISSING_AUTHORIZATION_SCHEME", "The Authorization header has no Bearer word.")
        token = token.strip()
        if not token or not token.isascii() or " " in token:
            # facts 1: 400 for an empty or malformed token; its code is not stated, assumed
            raise Refusal(400, "INCORRECT_TOKEN", "The token is empty or malformed.")
        company, end = self._issued.get(token, (0, 0))
        if not company:
            raise Refusal(403, "INCORRECT_TOKEN", "The token could not be checked.")
        if self.clock() >= end:
            raise Refusal(403, "EXPIRED_TOKEN", "Token has expired")
        return company


def token_reply(
    tokens: Tokens, companies: Iterable[StoredCompany], form: bytes, authorization: str | None
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
