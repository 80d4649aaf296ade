"""Log-in: tokens for client credentials, and discovery of the host of a Company (spec 4.1, facts 1 and 2)."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from wosdk_async.sandbox.errors import Refusal, required
from wosdk_async.sandbox.schema.bodies import Record, client_credentials, get_ignore_case, parse_form
from wosdk_async.sandbox.schema.entities import enumeration
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.storage.store import StoredCompany

__all__ = ["Tokens", "discover", "is_discovery", "token_response"]

_EXPIRES_IN = 1199  # seconds, as the sample of facts 1 says
_LIFETIME = 1200 * 10**9
_REMEMBERED = 100_000  # tokens; an expired one stays known, because a wrong one is refused differently


@attrs.define
class Tokens:
    """Tokens of one sandbox; ``clock`` returns nanoseconds since 1970."""

    clock: Callable[[], int]
    _issued: dict[str, tuple[int, int]] = attrs.field(factory=dict, repr=False)

    def issue(self, company: StoredCompany) -> str:
        """Return a new token for a Company."""
        now = self.clock()
        token = secrets.token_urlsafe(32)
        self._issued[token] = (company.id, now + _LIFETIME)
        if len(self._issued) > _REMEMBERED:
            del self._issued[next(iter(self._issued))]
        return token

    def expire(self, authorization: str | None) -> None:
        """Let the token of an Authorization header expire now."""
        token = (authorization or "").strip().partition(" ")[2].strip()
        if token in self._issued:
            company, end = self._issued[token]
            self._issued[token] = (company, min(end, self.clock()))

    def check(self, authorization: str | None) -> int:
        """Return the id of the Company whose token the header carries (facts 1; some texts are assumed)."""
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
            raise Refusal(403, "INCORRECT_TOKEN", "The token could not be verified.")
        if self.clock() >= end:
            raise Refusal(403, "EXPIRED_TOKEN", "Token has expired")
        return company


def token_response(
    tokens: Tokens, companies: Iterable[StoredCompany], form: bytes, authorization: str | None
) -> tuple[int, Mapping[str, object]]:
    """Return status and body for a token request; the refusals are RFC 6749's (facts 1 has none)."""
    fields = parse_form(form)
    if fields.get("grant_type") != "client_credentials":
        return 400, {"error": "unsupported_grant_type"}
    client_id, secret = client_credentials(fields, authorization)
    for company in companies:
        if _same(company.client_id, client_id) and _same(company.client_secret, secret):
            token = tokens.issue(company)
            return 200, {"access_token": token, "token_type": "bearer", "expires_in": _EXPIRES_IN}
    return 400, {"error": "invalid_client"}


def _same(known: str, sent: str) -> bool:
    return hmac.compare_digest(known.encode(), sent.encode("utf-8", "surrogatepass"))


_VERSION = "9.21.4.118"  # a dotted version (spec 4.1); the value is the sample's
_SOAP = "wsdk/CorrigoService.asmx"  # facts 2: below /wsdk/; the name is assumed


def is_discovery(segments: Sequence[str]) -> bool:
    """Return whether a path is discovery's: every host serves it, and names the right host (facts 2)."""
    name = segments[-1] if segments[2].lower() == "cmd" else segments[2]
    return name.lower() in ("getcompanywsdkurlcommand", "corrigoservice")


def discover(context: RequestContext, name: object, sent: Mapping[str, Any]) -> Record:
    """Return the result of a discovery of the Company ``name``; ``sent`` has the command's other members."""
    if not isinstance(name, str):
        raise required("CompanyName")
    if name.strip().lower() != context.company.name.lower():
        raise Refusal(400, "DATABASE_VERSION_MISMATCH", f"There is no Company '{name}' here.")
    kind = enumeration("ApiTypes").name_of(get_ignore_case(sent, "ApiType"))
    soap = kind == "SOAP" or (kind is None and context.dialect.soap_url)
    return {
        "Url": context.company.address(context.root) + (_SOAP if soap else ""),
        "CompanyName": context.company.name,
        "Protocol": enumeration("Protocols").name_of(get_ignore_case(sent, "Protocol")) or "HTTPS",
        "CompanyVersion": _VERSION,
        "CompanyId": context.company.id,
    }
