"""The steps of ``wosdk check`` and ``wosdk login``: credentials, token, discovery and a read."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import attrs

from wosdk_async import Company
from wosdk_async.cli.slow_login import saying_slow_login
from wosdk_async.cli.step_report import Route, Step, failed
from wosdk_async.cli.verbose import RequestPrinter
from wosdk_async.errors import (
    ConfigurationError,
    DeadlineError,
    DiscoveryError,
    NoAnswerError,
    WosdkError,
)
from wosdk_async.options import ClientOptions, Limits, RetryPolicy, Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.settings.environment import Settings
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.http.engine import Request
from wosdk_async.transport.http.environment import proxy_rules
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.http.watched import OnResponse, WatchedEngine
from wosdk_async.transport.session.credentials import Tenant
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.session.login import Login, asks_for_token
from wosdk_async.transport.session.manager import TokenGrant

__all__ = ["steps"]

_SECONDS = 10.0  # for the log-in and for the read, unless --deadline says otherwise
_CONNECT_SHARE = 0.4  # of those: two attempts to connect fail before the deadline, and say why
_HANDSHAKE_SECONDS = 5.0
_HTTPS = "write https:// in WOSDK_TOKEN_URL and WOSDK_LOCATOR_URL, or in the profile"
_MAX_SKEW = 120.0  # seconds that the clock may be off before it is mentioned


async def steps(
    settings: Settings, company: Company, deadline: float | None, verbose: int = 0
) -> AsyncIterator[Step]:
    """Yield the steps after the settings, up to the first that fails. ``verbose`` shows the log-in."""
    seconds = deadline or _SECONDS
    watch = _Stopwatch(verbose, seconds)
    try:
        for step in await _login(settings, company.name, watch, seconds):
            yield step
            if not step.ok:
                return
        yield await _read(company.with_options(deadline=seconds), watch)
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
    login = Login(
        engine=watch,
        clock=TransportClock(),
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
    return [*done, _token(settings, watch), _discovery(settings, watch, grant)]


async def _failed_login(settings: Settings, watch: _Stopwatch, error: WosdkError) -> list[Step]:
    """Return the step that failed, behind the token's if there was a token."""
    locator = error.operation == "discovery" or isinstance(error, DiscoveryError)
    route = watch.route(watch.last_url)
    done, step = [], failed("token", error, watch.seconds["token"], route)
    if locator or (isinstance(error, DeadlineError) and "locator" in watch.seconds):
        done, step = [_token(settings, watch)], failed("discovery", error, watch.seconds["locator"], route)
    direct = route is not None and route.proxy is None
    if direct and isinstance(error, NoAnswerError) and await _speaks_tls_only(watch.last_url):
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
    url = settings.region.token_url
    return Step(step="token", seconds=watch.seconds["token"], detail=f"{url}{skew}", route=watch.route(url))


def _discovery(settings: Settings, watch: _Stopwatch, grant: TokenGrant) -> Step:
    return Step(
        route=watch.route(settings.region.locator_url),
        step="discovery",
        seconds=watch.seconds["locator"],
        detail=f"Company {grant.company_id} at {grant.base_url}, release {grant.company_version}",
    )


async def _read(company: Company, watch: _Stopwatch) -> Step:
    """Send one small read, as the client does it."""
    started = time.monotonic()
    try:
        await company.connect()
        started = time.monotonic()
        found = await company.query("WorkOrder", {"PropertySet": {"Properties": ["Id"]}, "Count": 1})
    except WosdkError as error:
        return failed("read", error, time.monotonic() - started, watch.route(company.host))
    detail = "work orders can be read" if found else "work orders can be read; there are none yet"
    seconds = time.monotonic() - started
    return Step(step="read", seconds=seconds, detail=detail, route=watch.route(company.host))


class _Stopwatch(WatchedEngine):
    """Engine that measures how long responses take, and how far our clock is from the server's."""

    def __init__(self, verbose: int, seconds: float) -> None:
        limits, options = (
            Limits(connections=1),
            ClientOptions(timeouts=Timeouts(connect=_CONNECT_SHARE * seconds)),
        )
        shown = RequestPrinter(verbose).engine(limits, options) if verbose else None
        super().__init__(shown or engine_for(options, limits))
        self._proxies = proxy_rules(options.proxy, options.trust_env)
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.last_url = ""
        self.skew = 0.0

    @contextmanager
    def watch(self, request: Request) -> Iterator[OnResponse]:
        """Measure one request of the log-in."""
        self.last_url, started = request.url, time.monotonic()
        try:
            yield self._note_skew
        finally:
            self.seconds["token" if asks_for_token(request.body) else "locator"] += time.monotonic() - started

    def route(self, url: str | None) -> Route | None:
        """Return how the host of ``url`` is reached; None if it is unknown, or its proxy cannot be used."""
        try:
            proxy, setting = self._proxies.route(url or "") if self._proxies else (None, "")
        except ConfigurationError:  # the request raises it, too, and its message names the variable
            return None
        host = urlsplit(url or "").netloc
        return Route(host=host, proxy=proxy.shown if proxy else None, proxy_setting=setting) if host else None

    def _note_skew(self, response: Response) -> None:
        self.skew = _skew(response.headers)


def _skew(headers: Mapping[str, str]) -> float:
    """Return the seconds by which this clock is ahead of the server's; 0 when the server does not say."""
    try:
        return time.time() - parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError, OverflowError):
        return 0.0
