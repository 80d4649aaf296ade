"""Open a session: request a token, then ask the locator for the Company's host."""

from __future__ import annotations

import base64
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar
from urllib.parse import urlencode

import attrs

from wosdk_async import codec
from wosdk_async.errors import (
    CredentialsError,
    DiscoveryError,
    RefusedError,
    SessionError,
    SessionRefusedError,
    ThrottledError,
    UnknownCompanyError,
    WosdkError,
    refused,
)
from wosdk_async.protocol.envelopes import document
from wosdk_async.protocol.wire import Call, Response, Unreadable, read
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.deadline import Deadlines
from wosdk_async.transport.http.engine import Engine, Headers, SendFailed
from wosdk_async.transport.retry import Retries, RetryPolicy
from wosdk_async.transport.session.credentials import Credentials, Region
from wosdk_async.transport.session.hosts import HostRules, is_local
from wosdk_async.transport.session.manager import TokenGrant, replaced
from wosdk_async.transport.telemetry.trace import Trace

__all__ = ["Login"]

T = TypeVar("T")

_PATIENCE = 10.0  # seconds for each attempt: those who wait have deadlines, a renewal has none
_LIFETIME = 1200.0  # seconds; facts 1: 20 minutes, for an answer that does not say
_ODD = (1, 86_400)  # not shown; assumed: no token is meant to live for less than a second or more than a day
_SHORTEST = 10.0  # seconds; a shorter life counts as this, so that no Company logs in all the time
_LONGEST = 16 * 1024  # characters of a token; not shown; assumed: servers take no headers that are longer
_MAX_WORD = 200  # characters of a version that are kept


def _session_headers(company: str, token: str) -> Headers:
    """The headers of every call, discovery included (spec 5)."""
    return (
        ("Authorization", f"Bearer {token}"),
        ("CompanyName", company),
        ("Content-Type", "application/json"),
        ("Accept-Encoding", "gzip,deflate"),
    )


@attrs.frozen(kw_only=True)
class Login:
    """Gets tokens and hosts. Both requests are safe to repeat."""

    engine: Engine
    clock: Clock
    deadlines: Deadlines
    policy: RetryPolicy
    hosts: HostRules

    async def grant(self, company: str, region: Region, credentials: Credentials) -> TokenGrant:
        """A token and, with it, the current host of ``company``.

        Raises CredentialsError, UnknownCompanyError, DiscoveryError, or SessionError; NotSentError or
        NoAnswerError when a host does not answer.
        """
        known, before = _secrets_of(credentials), replaced.get()
        try:
            token, life = await self._token(region, credentials, Secrets(*known) + before)
            secrets = Secrets(token, *known)
            hidden = secrets + before
            found = await self._discover(region, company, token, hidden)
        except ThrottledError as busy:
            text = f"the service asks to wait before it opens a session: {busy.message}"
            raise SessionError(text, **_answered(busy)) from busy
        url = found.get("Url")
        if not isinstance(url, str) or not url:
            raise DiscoveryError("the locator's answer names no Url", company=company)
        if hidden.within(url):
            raise DiscoveryError("the locator's answer names a Url with the token or secret in it")
        version, number = found.get("CompanyVersion"), found.get("CompanyId")
        locator = self.hosts.endpoint("the locator address", region.locator_url)
        try:
            base_url = self.hosts.company_url(url, local=is_local(locator))
        except DiscoveryError as error:
            error.hide(hidden)  # those that are too short to be found by their pieces
            raise
        return TokenGrant(
            token=token,
            headers=_session_headers(company, token),
            secrets=secrets,
            expires_in=life,
            base_url=base_url,
            locator_url=locator,
            company_version=hidden.hide(version, _MAX_WORD) if isinstance(version, str) else None,
            company_id=number if isinstance(number, int) else None,
        )

    async def _token(self, region: Region, credentials: Credentials, secrets: Secrets) -> tuple[str, float]:
        form = {"grant_type": "client_credentials", **attrs.asdict(credentials)}  # facts 1
        call: Call[tuple[str, float]] = Call(
            "token", "POST", "", _token_and_life, repeat_safe=True, body=urlencode(form).encode()
        )
        headers = (("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"))
        url = self.hosts.endpoint("the token address", region.token_url)
        return await self._send(call, url, headers, _read_token, secrets, _token_page)

    async def _discover(self, region: Region, company: str, token: str, secrets: Secrets) -> dict[str, Any]:
        body = codec.dumps({"Command": {"ApiType": "REST", "CompanyName": company, "Protocol": "HTTPS"}})
        path = "/api/v1/cmd/GetCompanyWsdkUrlCommand"  # spec 4.1
        call = Call("discovery", "POST", path, _discovered, repeat_safe=True, body=body)
        url = self.hosts.endpoint("the locator address", region.locator_url) + path
        try:
            return await self._send(call, url, _session_headers(company, token), read, secrets, _locator_page)
        except (SessionRefusedError, ThrottledError) as error:
            if error.code != "DATABASE_VERSION_MISMATCH":
                raise
            raise _unknown_company(company, region, error) from error
        except RefusedError as error:
            raise _unknown_company(company, region, error) from error

    async def _send(
        self,
        call: Call[T],
        url: str,
        headers: Headers,
        reader: Callable[[Call[T], Response, Secrets], T],
        secrets: Secrets,
        told_by: Callable[[Unreadable], Exception],
    ) -> T:
        """Send it until ``reader`` makes a value of a response; ``told_by`` says what another page means."""
        trace = Trace()

        async def once() -> T:
            trace.attempts += 1
            try:
                with self.deadlines.within(_PATIENCE):
                    value: T = await self.engine.send(
                        call.method,
                        url,
                        headers,
                        call.body,
                        lambda: None,
                        repeat_safe=call.repeat_safe,
                        read=lambda reply: reader(call, reply, secrets),
                    )
            except TimeoutError:
                raise SendFailed(f"{url}: nothing within {_PATIENCE:g} s", sent=True) from None
            except SendFailed as failure:
                failure.hide(secrets)
                raise
            except Unreadable as page:  # after which the engine has closed the connection
                meant = told_by(page)
            else:
                return value
            raise meant

        try:
            return await Retries(self.policy, self.clock).run(call, once, trace)
        except WosdkError as error:
            error.add(operation=call.operation, attempts=trace.attempts)
            raise


def _secrets_of(credentials: Credentials) -> tuple[str, str]:
    """The secret, and how HTTP's Basic would write the pair."""
    pair = f"{credentials.client_id}:{credentials.client_secret}"
    return credentials.client_secret, base64.b64encode(pair.encode()).decode()


def _unknown_company(company: str, region: Region, error: RefusedError) -> UnknownCompanyError:
    return UnknownCompanyError(
        f"the locator of region {region.name} does not know {company!r} ({error.message}); "
        "check the name and the region",
        company=company,
        **_answered(error),
    )


def _answered(error: RefusedError) -> dict[str, object]:
    """What the answer behind ``error`` said, for the error that is raised instead."""
    return {name: getattr(error, name) for name in ("operation", "attempts", "status", "code", "time_stamp")}


def _discovered(body: bytes) -> dict[str, Any]:
    result = document(body)["CommandResult"]
    if not isinstance(result, dict):
        raise ValueError("CommandResult is no object")
    return result


def _locator_page(page: Unreadable) -> Exception:
    """A 400 is a refusal whatever its body is: none was seen (facts 2 reports the status only)."""
    return refused("", "", 400) if page.status == 400 else page


def _read_token(call: Call[tuple[str, float]], reply: Response, secrets: Secrets) -> tuple[str, float]:
    """A refusal here is not in the service's own error body (facts 1: 401 or 400 ``invalid_client``)."""
    if reply.status in (400, 401, 403):
        reason = secrets.hide(_refusal(reply.body), _MAX_WORD)
        raise CredentialsError(
            f"the token endpoint refused the credentials (HTTP {reply.status}{reason and ', '}{reason}); "
            "check the client id and secret of this Company",
            status=reply.status,
            code=reason,
        )
    return read(call, reply, secrets)


def _token_page(page: Unreadable) -> Exception:
    """A page that is not the token endpoint's: the address is wrong, unless it may pass (408, 5xx)."""
    if 300 <= page.status < 500 and page.status != 408:
        return SessionError(f"the token address answers HTTP {page.status}; check it", status=page.status)
    return page


def _refusal(body: bytes) -> str:
    try:
        reason = document(body).get("error")
    except ValueError:
        return ""
    if isinstance(reason, str) and len(reason) < 40 and reason.replace("_", "").isalnum():
        return reason
    return ""


def _token_and_life(body: bytes) -> tuple[str, float]:
    answer = document(body)
    token = answer["access_token"]
    if (
        not isinstance(token, str)
        or not token.isascii()
        or not token.isprintable()
        or " " in token
        or not token
        or len(token) > _LONGEST
    ):
        raise ValueError(f"access_token is no plain text of up to {_LONGEST} characters")
    return token, _life(answer.get("expires_in"))


def _life(said: object) -> float:
    """Seconds that a token lives. What makes no sense means the documented time."""
    least, most = _ODD
    if not isinstance(said, int | float | Decimal) or isinstance(said, bool) or not least <= said <= most:
        return _LIFETIME
    return max(float(said), _SHORTEST)
