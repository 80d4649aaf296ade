"""Access tokens: random, 20 minutes long (facts 1), forgotten when the server ends."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import attrs

from .errors import Refusal
from .store import Company

__all__ = ["EXPIRES_IN", "Tokens"]

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

    def issue(self, company: Company) -> str:
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
