"""The steps of ``wosdk check``, each with its time and, when it fails, what to do about it."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import attrs

from wosdk_async import Company
from wosdk_async.cli.exit_codes import Exit, status_of
from wosdk_async.cli.slow_login import saying_slow_login
from wosdk_async.cli.verbose import RequestPrinter
from wosdk_async.errors import (
    CredentialsError,
    DeadlineError,
    DiscoveryError,
    NoAnswerError,
    NotSentError,
    RefusedError,
    SessionRefusedError,
    UnknownCompanyError,
    WosdkError,
)
from wosdk_async.options import ClientOptions, Limits, RetryPolicy
from wosdk_async.protocol.wire import Response
from wosdk_async.settings import Settings
from wosdk_async.transport.clock import Deadlines, TransportClock
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.http.watched import OnResponse, SentRequest, WatchedEngine
from wosdk_async.transport.session.credentials import Tenant
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.session.login import Login, asks_for_token
from wosdk_async.transport.session.manager import TokenGrant

__all__ = ["Step", "failed", "remedy", "steps"]

_LOGIN_SECONDS = 30.0  # unless --deadline says otherwise
_HANDSHAKE_SECONDS = 5.0
_MAX_SKEW = 120.0  # seconds that the clock may be off before it is mentioned


@attrs.frozen(kw_only=True)
class Step:
    """The outcome of one step."""

    step: str
    ok: bool = True
    seconds: float = 0.0
    detail: str = ""
    remedy: str = ""
    status: Exit = attrs.field(default=Exit.DONE, repr=str)

    def as_dict(self) -> dict[str, Any]:
        """Return the step as JSON."""
        data = {"step": self.step, "ok": self.ok, "seconds": round(self.seconds, 3), "detail": self.detail}
        return data if self.ok else data | {"remedy": self.remedy}


def failed(name: str, error: WosdkError, seconds: float = 0.0) -> Step:
    """Return the step that ``error`` ended."""
    text, status = remedy(error), status_of(error)
    return Step(step=name, ok=False, seconds=seconds, detail=str(error), remedy=text, status=status)


async def steps(
    settings: Settings, company: Company, deadline: float | None, verbose: int = 0
) -> AsyncIterator[Step]:
    """Yield the steps after the settings, up to the first that fails. ``verbose`` shows the log-in."""
    seconds = deadline or _LOGIN_SECONDS
    watch = _Stopwatch(verbose)
    try:
        for step in await _login(settings, company.name, watch, seconds):
            yield step
            if not step.ok:
                return
        yield await _read(company)
    finally:
        await watch.aclose()


async def _login(settings: Settings, name: str, watch: _Stopwatch, seconds: float) -> list[Step]:
    """Return the steps credentials, token and discovery."""
    tenant = Tenant(name, settings.region, settings.credentials)  # type: ignore[arg-type]  # the Company has them
    started = time.monotonic()
    try:
        pair = await tenant.pair()
    except WosdkError as error:
        return [failed("credentials", error, time.monotonic() - started)]
    detail = f"client id {pair.client_id}, found and not tried yet"
    done = [Step(step="credentials", seconds=time.monotonic() - started, detail=detail)]
    clock = TransportClock()
    login = Login(
        engine=watch,
        clock=clock,
        deadlines=Deadlines(clock),
        policy=RetryPolicy(attempts=2),
        hosts=HostRules(trusted=settings.trusted_hosts),
    )
    began, waits_for = time.monotonic(), ""

    def note(text: str) -> None:
        nonlocal waits_for
        waits_for = text

    try:
        async with (
            asyncio.timeout(seconds),
            saying_slow_login(lambda: (time.monotonic() - began, waits_for)),
        ):
            grant = await login.grant(name, settings.region, pair, on_trouble=note)
    except TimeoutError:
        late = DeadlineError(f"{watch.last_url} did not respond within {seconds:g} s")
        return [*done, *await _failed_login(settings, watch, late)]
    except WosdkError as error:
        return [*done, *await _failed_login(settings, watch, error)]
    return [*done, _token(settings, watch), _discovery(watch, grant)]


async def _failed_login(settings: Settings, watch: _Stopwatch, error: WosdkError) -> list[Step]:
    """Return the step that failed, behind the token's if there was a token."""
    locator = error.operation == "discovery" or isinstance(error, DiscoveryError)
    done, step = [], failed("token", error, watch.seconds["token"])
    if locator or (isinstance(error, DeadlineError) and "locator" in watch.seconds):
        done, step = [_token(settings, watch)], failed("discovery", error, watch.seconds["locator"])
    if not isinstance(error, NotSentError) and await _speaks_tls_only(watch.last_url):
        step = attrs.evolve(step, remedy=f"the host speaks https: {_HTTPS}")
    return [*done, step]


async def _speaks_tls_only(url: str) -> bool:
    """Return whether the host of an http:// address takes a handshake of TLS; nothing else is sent to it."""
    parts = urlsplit(url)
    if parts.scheme != "http":
        return False
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        async with asyncio.timeout(_HANDSHAKE_SECONDS):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port or 80, ssl=context)
    except OSError:  # TimeoutError and ssl.SSLError too
        return False
    writer.transport.abort()
    return True


def _token(settings: Settings, watch: _Stopwatch) -> Step:
    skew = f"; this clock is {watch.skew:+.0f} s off" if abs(watch.skew) > _MAX_SKEW else ""
    return Step(step="token", seconds=watch.seconds["token"], detail=f"{settings.region.token_url}{skew}")


def _discovery(watch: _Stopwatch, grant: TokenGrant) -> Step:
    return Step(
        step="discovery",
        seconds=watch.seconds["locator"],
        detail=f"Company {grant.company_id} at {grant.base_url}, release {grant.company_version}",
    )


async def _read(company: Company) -> Step:
    """Send one small read, as the client does it."""
    started = time.monotonic()
    try:
        await company.connect()
        started = time.monotonic()
        found = await company.query("WorkOrder", {"PropertySet": {"Properties": ["Id"]}, "Count": 1})
    except WosdkError as error:
        return failed("read", error, time.monotonic() - started)
    detail = "work orders can be read" if found else "work orders can be read; there are none yet"
    return Step(step="read", seconds=time.monotonic() - started, detail=detail)


class _Stopwatch(WatchedEngine):
    """Engine that measures how long responses take, and how far our clock is from the server's."""

    def __init__(self, verbose: int) -> None:
        limits = Limits(connections=1)
        shown = RequestPrinter(verbose).engine(limits) if verbose else None
        super().__init__(shown or engine_for(ClientOptions(), limits))
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.last_url = ""
        self.skew = 0.0

    @contextmanager
    def watch(self, request: SentRequest) -> Iterator[OnResponse]:
        """Measure one request of the log-in."""
        self.last_url, started = request.url, time.monotonic()
        try:
            yield self._note_skew
        finally:
            self.seconds["token" if asks_for_token(request.body) else "locator"] += time.monotonic() - started

    def _note_skew(self, response: Response) -> None:
        self.skew = _skew(response.headers)


def _skew(headers: Mapping[str, str]) -> float:
    """Return the seconds by which this clock is ahead of the server's; 0 when the server does not say."""
    try:
        return time.time() - parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError, OverflowError):
        return 0.0


# --- what to do about a step that failed ----------------------------------------------------

_HTTPS = "write https:// in WOSDK_TOKEN_URL and WOSDK_LOCATOR_URL, or in the profile"
_ROUTE = "check the network, a firewall, and WOSDK_LOCATOR_URL and WOSDK_TOKEN_URL if you set them"

# Messages of the system and of OpenSSL in lower case; the first that fits. The errors themselves are not
# kept, because they would hold the request, and with it the token.
_BY_TEXT = (
    (("[ssl",), "the other side does not speak TLS: the address has the wrong port, or a proxy responds"),
    (
        ("name or service", "nodename nor", "name resolution", "no address associated", "getaddrinfo"),
        f"the name server does not know the host: {_ROUTE}",
    ),
    (("refused", "connect call failed"), f"nothing listens there: {_ROUTE}"),
    (("timeout", "timed out"), f"nothing responds there: {_ROUTE}"),
)


def remedy(error: WosdkError) -> str:
    """Return what to do about ``error``; empty where its own message says so."""
    if error.remedy:
        return ""
    if isinstance(error, NotSentError | NoAnswerError):
        text = error.message.lower()
        found = next((say for signs, say in _BY_TEXT if any(sign in text for sign in signs)), None)
        if found is not None:
            return found
    return next((text for kind, text in _BY_KIND if isinstance(error, kind)), "")


_BY_KIND: tuple[tuple[type[WosdkError], str], ...] = (
    (
        CredentialsError,
        "the pair belongs to one Company and its secret is shown once: "  # facts 10 row 25
        "have an administrator generate a new one if in doubt",
    ),
    (UnknownCompanyError, "it may be at home in another region: WOSDK_REGION is americas, apac or emea"),
    (DiscoveryError, "name the host in WOSDK_TRUSTED_HOSTS only if it is yours"),
    (SessionRefusedError, "the token was given and then refused: try again, then ask the administrator"),
    (
        RefusedError,  # facts 1 names the right; how its lack is refused is not shown; assumed
        "the login is good: its role may lack rights; it needs 'Permissions - Web Services Access'",
    ),
    (NoAnswerError, "something else than the service may respond there: a proxy, or a page of maintenance"),
    (DeadlineError, f"it took too long; --deadline gives it more time, or {_ROUTE}"),
)
