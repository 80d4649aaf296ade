"""Open a session: request a token, then ask the locator for the Company's host."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlencode

import attrs

from wosdk_async import codec
from wosdk_async.errors import (
    DiscoveryError,
    NoAnswerError,
    RefusedError,
    SessionError,
    ThrottledError,
    WosdkError,
)
from wosdk_async.options import RetryPolicy
from wosdk_async.protocol.responses import read
from wosdk_async.protocol.verdicts import means_unknown_company
from wosdk_async.protocol.wire import Call, InconclusiveResponse, Response
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.clock import Deadlines, TransportClock
from wosdk_async.transport.http.engine import Engine, RequestHeaders, SendError
from wosdk_async.transport.retry import Retries
from wosdk_async.transport.session.credentials import Credentials, Region
from wosdk_async.transport.session.hosts import HostRules, is_local
from wosdk_async.transport.session.login_responses import (
    LOCATOR,
    TOKEN,
    details_of,
    discovered,
    is_token,
    read_token,
    strange_page,
    token_and_lifetime,
    unknown_company,
)
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
_MAX_TEXT = 200  # characters kept of a version


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
            raise SessionError(text, **details_of(error)) from error
        url = found.get("Url")
        if not isinstance(url, str) or not url:
            raise DiscoveryError("the locator's response has no Url", company=company)
        if hidden.within(url):
            raise DiscoveryError("the locator's response has a Url with the token or secret in it")
        version, number = found.get("CompanyVersion"), found.get("CompanyId")
        locator = self.hosts.endpoint(LOCATOR.name, region.locator_url)
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
        if not is_token(grant.token):
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
            "token", "POST", "", token_and_lifetime, repeat_safe=True, body=urlencode(form).encode()
        )
        headers = (("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"))
        url = self.hosts.endpoint(TOKEN.name, region.token_url)
        try:
            page = partial(strange_page, TOKEN, url)
            on_trouble(TOKEN.silent(url))
            return await self._send(call, url, headers, read_token, secrets, page, on_trouble)
        except (SessionError, ThrottledError):
            raise
        except RefusedError as error:
            raise TOKEN.wrong(url, error.status, error) from error

    async def _discover(
        self, region: Region, company: str, token: str, secrets: Secrets, on_trouble: OnTrouble
    ) -> dict[str, Any]:
        body = codec.dumps({"Command": {"ApiType": "REST", "CompanyName": company, "Protocol": "HTTPS"}})
        path = "/api/v1/cmd/GetCompanyWsdkUrlCommand"  # spec 4.1
        call = Call("discovery", "POST", path, discovered, repeat_safe=True, body=body)
        url = self.hosts.endpoint(LOCATOR.name, region.locator_url)
        headers, page = _session_headers(company, token), partial(strange_page, LOCATOR, url)
        try:
            on_trouble(LOCATOR.silent(url))
            return await self._send(call, url + path, headers, read, secrets, page, on_trouble)
        except RefusedError as error:
            if means_unknown_company(error):
                raise unknown_company(company, region, error) from error
            if isinstance(error, SessionError | ThrottledError):
                raise
            raise LOCATOR.wrong(url, error.status, error) from error

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
