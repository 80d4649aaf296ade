"""Open a session: request a token, then ask the locator for the Company's host."""

from __future__ import annotations

import base64
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlencode

import attrs

from wosdk_async import codec
from wosdk_async.errors import (
    CredentialsError,
    DiscoveryError,
    NoAnswerError,
    RefusedError,
    SessionError,
    ThrottledError,
    UnknownCompanyError,
    WosdkError,
)
from wosdk_async.options import RetryPolicy
from wosdk_async.protocol.envelopes import document_of
from wosdk_async.protocol.responses import read, refused
from wosdk_async.protocol.verdicts import means_unknown_company
from wosdk_async.protocol.wire import Call, InconclusiveResponse, Response
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.clock import Deadlines, TransportClock
from wosdk_async.transport.http.engine import Engine, RequestHeaders, SendError
from wosdk_async.transport.retry import Retries
from wosdk_async.transport.session.credentials import Credentials, Region
from wosdk_async.transport.session.hosts import HostRules, is_local
from wosdk_async.transport.session.manager import TokenGrant
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Login", "asks_for_token"]

OnTrouble = Callable[[str], None]
"""Function that is called with what a log-in waits for, without secrets."""

_FORM = {"grant_type": "client_credentials"}  # facts 1


def asks_for_token(body: bytes | None) -> bool:
    """Return whether a request with this body asks for a token, so that it holds the secret."""
    return bool(body and body.startswith(b"grant_type="))


T = TypeVar("T")

_NO_SECRETS = Secrets()

_ATTEMPT_TIMEOUT = 10.0  # seconds: the calls that wait have deadlines, the renewal itself has none
_DEFAULT_LIFETIME = 1200.0  # seconds; facts 1: 20 minutes, for a response without expires_in
_PLAUSIBLE = (1, 86_400)  # seconds; not shown; assumed: no token lives less than a second or over a day
_MIN_LIFETIME = 10.0  # seconds; shorter ones count as this, so that no Company logs in all the time
_MAX_TOKEN = 16 * 1024  # characters; not shown; assumed: servers accept no longer headers
_MAX_TEXT = 200  # characters kept of a version or a reason


def _session_headers(company: str, token: str) -> RequestHeaders:
    """Return the headers of every call, discovery included (spec 5)."""
    return (
        ("Authorization", f"Bearer {token}"),
        ("CompanyName", company),
        ("Content-Type", "application/json"),
        ("Accept-Encoding", "gzip,deflate"),
    )


@attrs.frozen(kw_only=True)
class Login:
    """Requests of a log-in: the token, then the host. Both are safe to repeat."""

    engine: Engine
    clock: TransportClock
    deadlines: Deadlines
    policy: RetryPolicy
    hosts: HostRules

    async def grant(
        self,
        company: str,
        region: Region,
        credentials: Credentials,
        replaced: Secrets = _NO_SECRETS,
        on_trouble: OnTrouble = lambda _: None,
    ) -> TokenGrant:
        """Request a token, then the current host of ``company``.

        Args:
            company: name of the Company.
            region: where the token and the host are requested.
            credentials: of the Company.
            replaced: secrets of the sessions before this one, which a response may still repeat.
            on_trouble: called before each request, and before each wait for a further attempt.

        Raises:
            CredentialsError: the credentials are refused.
            UnknownCompanyError: the locator does not know the Company.
            DiscoveryError: the locator names no host that may be used.
            SessionError: another response that does not open a session.
            NotSentError, NoAnswerError: a host cannot be reached, or does not respond.
        """
        known = _secrets_of(credentials)
        try:
            token, lifetime = await self._token(region, credentials, Secrets(*known) + replaced, on_trouble)
            secrets = Secrets(token, *known)
            hidden = secrets + replaced
            found = await self._discover(region, company, token, hidden, on_trouble)
        except ThrottledError as error:
            text = f"the service asks to wait before it opens a session: {error.message}"
            raise SessionError(text, **_details(error)) from error
        url = found.get("Url")
        if not isinstance(url, str) or not url:
            raise DiscoveryError("the locator's response has no Url", company=company)
        if hidden.within(url):
            raise DiscoveryError("the locator's response has a Url with the token or secret in it")
        version, number = found.get("CompanyVersion"), found.get("CompanyId")
        locator = self.hosts.endpoint(_LOCATOR.name, region.locator_url)
        try:
            base_url = self.hosts.company_url(url, local=is_local(locator))
        except DiscoveryError as error:
            error.hide(hidden)  # also those too short to be found by their pieces
            raise
        return TokenGrant(
            token=token,
            headers=_session_headers(company, token),
            secrets=secrets,
            expires_in=lifetime,
            base_url=base_url,
            locator_url=locator,
            company_version=hidden.hide(version, _MAX_TEXT) if isinstance(version, str) else None,
            company_id=number if isinstance(number, int) else None,
        )

    def accept(self, company: str, grant: TokenGrant) -> TokenGrant:
        """Return a session that another process has opened, checked and with its headers.

        That process has checked which host it is. Here, as for an address of the settings, https is needed
        unless the host is on this machine or trusted.

        Raises:
            ConfigurationError: the host may not get the token.
            SessionError: the token cannot be sent.
        """
        if not _is_token(grant.token):
            raise SessionError("the session that was handed over has no token that can be sent")
        host = self.hosts.endpoint("the host of the session that was handed over", grant.base_url)
        return attrs.evolve(
            grant,
            headers=_session_headers(company, grant.token),
            secrets=Secrets(grant.token) + grant.secrets,
            base_url=host,
        )

    async def _token(
        self, region: Region, credentials: Credentials, secrets: Secrets, on_trouble: OnTrouble
    ) -> tuple[str, float]:
        form = _FORM | attrs.asdict(credentials)
        call: Call[tuple[str, float]] = Call(
            "token", "POST", "", _token_and_lifetime, repeat_safe=True, body=urlencode(form).encode()
        )
        headers = (("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"))
        url = self.hosts.endpoint(_TOKEN.name, region.token_url)
        try:
            page = partial(_page, _TOKEN, url)
            on_trouble(_TOKEN.silent(url))
            return await self._send(call, url, headers, _read_token, secrets, page, on_trouble)
        except (SessionError, ThrottledError):
            raise
        except RefusedError as error:
            raise _TOKEN.wrong(url, error.status, error) from error

    async def _discover(
        self, region: Region, company: str, token: str, secrets: Secrets, on_trouble: OnTrouble
    ) -> dict[str, Any]:
        body = codec.dumps({"Command": {"ApiType": "REST", "CompanyName": company, "Protocol": "HTTPS"}})
        path = "/api/v1/cmd/GetCompanyWsdkUrlCommand"  # spec 4.1
        call = Call("discovery", "POST", path, _discovered, repeat_safe=True, body=body)
        url = self.hosts.endpoint(_LOCATOR.name, region.locator_url)
        headers, page = _session_headers(company, token), partial(_page, _LOCATOR, url)
        try:
            on_trouble(_LOCATOR.silent(url))
            return await self._send(call, url + path, headers, read, secrets, page, on_trouble)
        except RefusedError as error:
            if means_unknown_company(error):
                raise _unknown_company(company, region, error) from error
            if isinstance(error, SessionError | ThrottledError):
                raise
            raise _LOCATOR.wrong(url, error.status, error) from error

    async def _send(
        self,
        call: Call[T],
        url: str,
        headers: RequestHeaders,
        reader: Callable[[Call[T], Response, Secrets], T],
        secrets: Secrets,
        page_error: Callable[[InconclusiveResponse], Exception],
        on_trouble: OnTrouble,
    ) -> T:
        """Send ``call`` and return its result, with retries.

        ``reader`` reads a response. ``page_error`` gives the error for one that the reader cannot read.
        """
        trace = Trace()

        async def once() -> T:
            trace.attempts += 1
            try:
                with self.deadlines.within(_ATTEMPT_TIMEOUT):
                    result: T = await self.engine.send(
                        call.method,
                        url,
                        headers,
                        call.body,
                        lambda: None,
                        repeat_safe=call.repeat_safe,
                        read=lambda response: reader(call, response, secrets),
                    )
            except TimeoutError:
                raise SendError(f"{url}: no response within {_ATTEMPT_TIMEOUT:g} s", sent=True) from None
            except SendError as failure:
                failure.hide(secrets)
                raise
            except InconclusiveResponse as page:  # the engine has closed the connection
                error = page_error(page)
            else:
                return result
            raise error

        try:
            retries = Retries(
                self.policy, self.clock, on_wait=lambda why, wait: on_trouble(_trouble(why, wait))
            )
            return await retries.run(call, once, trace)
        except WosdkError as error:
            if isinstance(error, NoAnswerError) and not error.status and url.startswith("http:"):
                # A server of TLS closes such a connection without a word.
                error.args = (f"{error.message}; if this host speaks https, write https:// in its address",)
            error.add(operation=call.operation, attempts=trace.attempts)
            raise


def _trouble(failure: Exception, wait: float) -> str:
    """Return why a log-in waits; its secrets were hidden when the response was read."""
    if isinstance(failure, RefusedError):
        return f"HTTP {failure.status}, sent again after {wait:.3g} s ({failure.message})"
    return f"sent again after {wait:.3g} s ({failure})"


def _secrets_of(credentials: Credentials) -> tuple[str, str]:
    """Return the secret, and the pair as HTTP Basic authorization encodes it."""
    pair = f"{credentials.client_id}:{credentials.client_secret}"
    return credentials.client_secret, base64.b64encode(pair.encode()).decode()


def _unknown_company(company: str, region: Region, error: RefusedError) -> UnknownCompanyError:
    return UnknownCompanyError(
        f"the locator of region {region.name} does not know {company!r} ({error.message}); "
        "check the name and the region",
        company=company,
        **_details(error),
    )


@attrs.frozen
class _Address:
    """Address that a log-in is sent to, and where it is set."""

    name: str
    variable: str
    field: str
    error: type[SessionError]

    def silent(self, url: str) -> str:
        """Return what is waited for until a response comes."""
        return f"{self.name} {url} has not responded"

    def wrong(self, url: str, status: int, refusal: RefusedError | None = None) -> SessionError:
        """Return the error for a response that no such endpoint gives."""
        said = f" ({refusal.message})" if refusal else ""
        remedy = f"check {self.variable}, or {self.field}= of the Region"
        text = f"{self.name} {url} responds with HTTP {status}{said}; {remedy}"
        error = self.error(text, status=status, remedy=remedy)
        error.add(**(_details(refusal) if refusal else {}))
        return error


_TOKEN = _Address("the token address", "WOSDK_TOKEN_URL", "token_url", SessionError)
_LOCATOR = _Address("the locator address", "WOSDK_LOCATOR_URL", "locator_url", DiscoveryError)


def _page(address: _Address, url: str, page: InconclusiveResponse) -> Exception:
    """Return the error for a page of something else: a wrong address, unless it may pass."""
    if page.status == 400 and address is _LOCATOR:
        return refused("", "", 400)  # facts 2 reports the status only: whatever the body, it is a refusal
    if 300 <= page.status < 500 and page.status != 408:
        return address.wrong(url, page.status)
    return page


def _details(error: RefusedError) -> dict[str, object]:
    """Return the details of ``error`` for the error that is raised instead."""
    return {name: getattr(error, name) for name in ("operation", "attempts", "status", "code", "time_stamp")}


def _discovered(body: bytes) -> dict[str, Any]:
    result = document_of(body)["CommandResult"]
    if not isinstance(result, dict):
        raise ValueError("CommandResult is not an object")
    return result


def _read_token(call: Call[tuple[str, float]], response: Response, secrets: Secrets) -> tuple[str, float]:
    """Read a response of the token endpoint, which refuses without the service's own error body."""
    # facts 1: 401 or 400 ``invalid_client``
    if response.status in (400, 401, 403):
        reason = secrets.hide(_refusal(response.body), _MAX_TEXT)
        raise CredentialsError(
            f"the token endpoint refused the credentials (HTTP {response.status}{reason and ', '}{reason}); "
            "check the client id and secret of this Company",
            status=response.status,
            code=reason,
        )
    return read(call, response, secrets)


def _refusal(body: bytes) -> str:
    """Return the OAuth error code in ``body``; an empty text if there is none."""
    try:
        reason = document_of(body).get("error")
    except ValueError:
        return ""
    if isinstance(reason, str) and len(reason) < 40 and reason.replace("_", "").isalnum():
        return reason
    return ""


def _token_and_lifetime(body: bytes) -> tuple[str, float]:
    members = document_of(body)
    token = members["access_token"]
    if not _is_token(token):
        raise ValueError(f"access_token is not plain text of at most {_MAX_TOKEN} characters")
    return token, _lifetime(members.get("expires_in"))


def _is_token(token: object) -> bool:
    """Return whether a header can carry ``token``."""
    if not isinstance(token, str) or not 0 < len(token) <= _MAX_TOKEN:
        return False
    return token.isascii() and token.isprintable() and " " not in token


def _lifetime(expires_in: object) -> float:
    """Return the seconds that a token lives: the documented time if ``expires_in`` is not plausible."""
    low, high = _PLAUSIBLE
    is_number = isinstance(expires_in, int | float | Decimal) and not isinstance(expires_in, bool)
    if not is_number or not low <= expires_in <= high:  # type: ignore[operator]
        return _DEFAULT_LIFETIME
    return max(float(expires_in), _MIN_LIFETIME)  # type: ignore[arg-type]
