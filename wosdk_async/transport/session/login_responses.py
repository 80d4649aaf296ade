"""Log-in responses: a token, a Company's host, or the reason for a refusal."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import attrs

from wosdk_async.errors import (
    CredentialsError,
    DiscoveryError,
    RefusedError,
    SessionError,
    ThrottledError,
    UnknownCompanyError,
    WosdkError,
)
from wosdk_async.protocol.envelopes import document_of
from wosdk_async.protocol.matching import members
from wosdk_async.protocol.responses import read, refusal_error
from wosdk_async.protocol.verdicts import means_unknown_company
from wosdk_async.protocol.wire import Call, InconclusiveResponse, Response
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets
from wosdk_async.text.secret import Secret
from wosdk_async.transport.session.credentials import Region
from wosdk_async.transport.session.hosts import HostRules

_DEFAULT_LIFETIME = 1200.0  # seconds, for a response without expires_in; facts 1: 20 minutes
_PLAUSIBLE = (1, 86_400)  # seconds; not shown; assumed: tokens live between a second and a day
MIN_LIFETIME = 10.0  # seconds; shorter lifetimes are raised to this, so that no Company logs in constantly
_MAX_TOKEN = 16 * 1024  # characters; not shown; assumed: servers refuse headers with a longer token
_MAX_TEXT = 200  # maximum characters kept of a reason


@attrs.frozen
class Address:
    """Log-in address, and the setting that it comes from."""

    name: str
    variable: str
    field: str
    error: type[SessionError]
    read: Callable[[Call[Any], Response, Secrets], Any]
    """Decoder of responses from this address."""

    def url(self, region: Region, hosts: HostRules) -> str:
        """Return the URL in ``region``. Raises ConfigurationError if log-ins must not be sent there."""
        setting = f"{self.field} of the region {region.name}"
        return hosts.endpoint(setting, getattr(region, self.field))

    def _endpoint_error(self, url: str, status: int, said: str = "") -> SessionError:
        return self.error(
            f"{self.name} {url} responded with HTTP {status}{said}",
            status=status,
            remedies=(Remedy.ENDPOINT,),
            variable=self.variable,
            field=self.field,
        )

    def page_error(self, url: str, page: InconclusiveResponse) -> Exception:
        """Return the error to raise for an unexpected page, or ``page`` itself if a retry may help."""
        if page.status == 400 and self is LOCATOR:
            # facts 2 shows only the status of this refusal, so the body does not matter.
            return refusal_error("", "", 400)
        if 300 <= page.status < 500 and page.status != 408:
            return self._endpoint_error(url, page.status)
        return page

    def meaning_of(self, error: RefusedError, url: str, company: str, region: Region) -> WosdkError:
        """Return the error to raise for a refusal, or ``error`` itself if it already concerns the session."""
        meant: WosdkError
        if self is LOCATOR and means_unknown_company(error):
            meant = UnknownCompanyError(
                f"the locator of region {region.name} does not know {company!r} ({error.message}); "
                "check the name and the region",
                company=company,
            )
        elif isinstance(error, ThrottledError):
            asked = f"; retry after {error.retry_after:g} s" if error.retry_after else ""
            meant = SessionError(f"the service throttles log-ins: {error.message.removesuffix('.')}{asked}")
            meant.add(retry_after=error.retry_after)
        elif isinstance(error, SessionError):
            if self is LOCATOR:
                error.args = (f"the locator refused the new token: {error.message}",)
                if error.code == "INCORRECT_TOKEN":  # facts 1: it was probably issued for another Company
                    error.add(remedies=(Remedy.OWN_PAIR,))
            return error
        else:
            meant = self._endpoint_error(url, error.status, f" ({error.message})")
        kept = ("operation", "attempts", "status", "code", "time_stamp")
        meant.add(**{name: getattr(error, name) for name in kept})
        return meant


def discovered(body: bytes) -> dict[str, Any]:
    """Return the result from a locator response."""
    result = document_of(body)["CommandResult"]
    if not isinstance(result, dict):
        raise ValueError("CommandResult is not an object")
    return result


def read_token(
    call: Call[tuple[Secret, float]], response: Response, secrets: Secrets
) -> tuple[Secret, float]:
    """Read a token endpoint response. The endpoint's refusals lack the service's own error body."""
    # facts 1: wrong credentials get a 401, or a 400 with ``invalid_client``
    if response.status in (400, 401, 403):
        reason = secrets.hide(_refusal(response.body), _MAX_TEXT)
        remedy = "check the client id and secret of this Company"
        if response.body.strip() and not members(response.body):
            remedy = f"the body is no JSON object, so a proxy or gateway may have sent it; if not, {remedy}"
        raise CredentialsError(
            f"the token endpoint refused the credentials (HTTP {response.status}{reason and ', '}{reason}); "
            f"{remedy}",
            status=response.status,
            code=reason,
        )
    return read(call, response, secrets)


def _refusal(body: bytes) -> str:
    reason = members(body).get("error")
    if isinstance(reason, str) and len(reason) < 40 and reason.replace("_", "").isalnum():
        return reason
    return ""


def token_and_lifetime(body: bytes) -> tuple[Secret, float]:
    """Return the token and its lifetime in seconds from a token endpoint response."""
    document = document_of(body)
    token = document["access_token"]
    if not is_token(token):
        raise ValueError(f"access_token is not plain text of at most {_MAX_TOKEN} characters")
    return Secret(token), _lifetime(document.get("expires_in"))


def is_token(token: object) -> bool:
    """Return whether a header can carry ``token``."""
    if not isinstance(token, str) or not 0 < len(token) <= _MAX_TOKEN:
        return False
    return token.isascii() and token.isprintable() and " " not in token


def _lifetime(expires_in: object) -> float:
    """Return the lifetime in seconds, or the documented lifetime if ``expires_in`` is not plausible."""
    low, high = _PLAUSIBLE
    is_number = isinstance(expires_in, int | float | Decimal) and not isinstance(expires_in, bool)
    if not is_number or not low <= expires_in <= high:  # type: ignore[operator]
        return _DEFAULT_LIFETIME
    return max(float(expires_in), MIN_LIFETIME)  # type: ignore[arg-type]


TOKEN = Address("the token address", "WOSDK_TOKEN_URL", "token_url", SessionError, read_token)
LOCATOR = Address("the locator address", "WOSDK_LOCATOR_URL", "locator_url", DiscoveryError, read)
