"""Steps of ``wosdk check`` and ``wosdk login``, with outcomes and remedies."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from types import UnionType
from typing import IO, Any
from urllib.parse import urlsplit

import attrs

from wosdk_async import Company
from wosdk_async.cli.exit_codes import Exit, status_of
from wosdk_async.cli.runner import reporting_slow_login
from wosdk_async.cli.texts import json_text, message_of, visible
from wosdk_async.cli.verbose import RequestPrinter
from wosdk_async.errors import (
    ConfigurationError,
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
from wosdk_async.options import ClientOptions, Limits, RetryPolicy, Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.settings.environment import Settings
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.clock import Deadlines, TransportClock
from wosdk_async.transport.http.engine import OnResponse, Request, WatchedEngine
from wosdk_async.transport.http.environment import proxy_rules
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.session.credentials import Credentials, Tenant
from wosdk_async.transport.session.hosts import HostRules, is_local
from wosdk_async.transport.session.login import Login, asks_for_token


@attrs.frozen(kw_only=True)
class _Route:
    host: str
    proxy: str | None
    """Address without user name and password; None for a direct connection."""
    proxy_setting: str
    """Setting that selects or excludes the proxy; empty if none."""

    def __str__(self) -> str:
        setting = f" ({self.proxy_setting})" if self.proxy_setting else ""
        if self.proxy is None:
            return f"direct connection to {self.host}{setting}"
        return f"connection to {self.host} through proxy {self.proxy}{setting}"

    def remedy(self, variable: str) -> str:
        """Return what to check if the connection fails; ``variable``, if not empty, sets the address."""
        if self.proxy is not None:
            return f"check the proxy in {self.proxy_setting}, or add {self.host} to NO_PROXY"
        address = f", and {variable} if you set it" if variable else ""
        if is_local(f"//{self.host}"):
            return f"check that a server listens on {self.host}{address}"
        proxy = "" if self.proxy_setting else "; if this network needs a proxy, set HTTPS_PROXY"
        return f"check the network and the firewall{address}{proxy}"


@attrs.frozen(kw_only=True)
class Step:
    """Outcome of one step."""

    step: str
    ok: bool = True
    seconds: float = 0.0
    detail: str = ""
    remedy: str = ""
    status: Exit = attrs.field(default=Exit.DONE, repr=str)
    route: _Route | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the step as a JSON object."""
        data = {"step": self.step, "ok": self.ok, "seconds": round(self.seconds, 3), "detail": self.detail}
        data |= {"remedy": self.remedy} if not self.ok else {}
        return data | attrs.asdict(self.route) if self.route else data


def failed_step(name: str, error: WosdkError, seconds: float = 0.0, route: _Route | None = None) -> Step:
    """Return a failed step for ``error``."""
    text = remedy_for(error, route.remedy(_VARIABLES.get(name, "")) if route else _NETWORK)
    status = status_of(error)
    detail = message_of(error)
    return Step(step=name, ok=False, seconds=seconds, detail=detail, remedy=text, status=status, route=route)


class StepReport:
    """Report of the completed steps, printed to ``file`` (if any) as they arrive."""

    def __init__(self, file: IO[str] | None) -> None:
        self._file = file
        self._steps: list[Step] = []

    @property
    def last(self) -> Step:
        """The last completed step; if a step failed, the failed one."""
        return self._steps[-1]

    def add(self, step: Step) -> None:
        """Add a step."""
        self._steps.append(step)
        if self._file is None:
            return
        tick = "✓" if step.ok else "✗"
        detail = f"{step.detail}; {step.route}" if step.route else step.detail
        self._file.write(f"{tick} {step.step:<12}{step.seconds:6.3f} s  {visible(detail)}\n")
        if step.remedy:
            self._file.write(f"{'':24}{visible(step.remedy)}\n")
        self._file.flush()

    async def add_all(self, steps: AsyncIterator[Step]) -> None:
        """Add steps as they arrive; the log-in steps arrive together."""
        async for step in steps:
            self.add(step)

    def write_json(self, file: IO[str]) -> None:
        """Write all steps as one JSON object."""
        data = {"ok": self.last.ok, "steps": [step.as_dict() for step in self._steps]}
        file.write(f"{json_text(data)}\n")


_NETWORK = "check the network and the firewall"
_VARIABLES = {"token": "WOSDK_TOKEN_URL", "discovery": "WOSDK_LOCATOR_URL"}
"""Environment variable that sets the address of the step's host, by step."""

# Parts of error messages of the operating system and OpenSSL, in lower case, with remedies; the first match
# wins. The errors themselves are not available here, because they contain the token.
_BY_TEXT = (
    (("[ssl",), "the TLS handshake fails: check the port in the address, or the proxy"),
    (
        ("name or service", "nodename nor", "name resolution", "no address associated", "getaddrinfo"),
        "the host name cannot be resolved: {network}",
    ),
    (("refused", "connect call failed"), "nothing is listening there: {network}"),
    (("timeout", "timed out", "no connection within"), "nothing responds there: {network}"),
)

_BY_KIND: tuple[tuple[type[WosdkError] | UnionType, str], ...] = (
    (
        CredentialsError,
        "check client id and secret: a pair is valid for one Company, and "  # facts 10 row 25
        "the secret is shown only once; an administrator can generate a new one",
    ),
    (UnknownCompanyError, "check the region: WOSDK_REGION is americas, apac or emea"),
    (DiscoveryError, "add the host to WOSDK_TRUSTED_HOSTS only if you own it"),
    (SessionRefusedError, "a new token was refused: try again; if that fails, ask the administrator"),
    (
        RefusedError,  # facts 1 names the right. Not shown; assumed: without it, the service sends this error
        "the credentials are valid, but their role may lack the right 'Permissions - Web Services Access'",
    ),
    (
        NoAnswerError | NotSentError,
        "the response may come from a proxy or a maintenance page, not from the service",
    ),
)


def remedy_for(error: WosdkError, network: str = _NETWORK) -> str:
    """Return the remedy for ``error``; empty if the error has its own remedy, or if no remedy is known.

    ``network`` is the remedy if the host cannot be reached.
    """
    if set(error.remedies) - {Remedy.START_SANDBOX}:
        return ""
    if isinstance(error, DeadlineError):
        return f"set a longer --deadline, or {network}"
    if isinstance(error, NotSentError | NoAnswerError):
        text = error.message.lower()
        remedy = next((remedy for signs, remedy in _BY_TEXT if any(sign in text for sign in signs)), None)
        if remedy is not None:
            return remedy.replace("{network}", network)
    if isinstance(error, NotSentError) and not error.status:
        return network
    return next((text for kind, text in _BY_KIND if isinstance(error, kind)), "")


_SECONDS = 10.0  # default --deadline for the log-in and the read
# Share of the deadline for one attempt to connect. Two attempts fit, so the second can report why it failed.
_CONNECT_SHARE = 0.4
_MAX_SKEW = 120.0  # seconds of clock skew before a warning


async def steps(
    settings: Settings, company: Company, deadline: float | None, verbose: int = 0
) -> AsyncIterator[Step]:
    """Yield the steps after the first, which is named ``settings``; end after a failed step."""
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
    """Return the credentials, token and discovery steps."""
    # The credentials are not None, because a client cannot be created without them.
    tenant = Tenant(name, settings.region, settings.credentials)  # type: ignore[arg-type]
    started = time.monotonic()
    try:
        pair = await tenant.pair(Deadlines(TransportClock()))
    except WosdkError as error:
        return [failed_step("credentials", error, time.monotonic() - started)]
    assert isinstance(pair, Credentials)  # noqa: S101 - settings contain no token
    detail = f"client id {pair.client_id}, not tested yet"
    done = [Step(step="credentials", seconds=time.monotonic() - started, detail=detail)]
    login = Login(
        engine=watch,
        clock=TransportClock(),
        policy=RetryPolicy(attempts=2),
        hosts=HostRules(trusted=settings.trusted_hosts),
    )
    began, troubles = time.monotonic(), [""]
    try:
        async with (
            asyncio.timeout(seconds),
            reporting_slow_login(lambda: (time.monotonic() - began, troubles[-1])),
        ):
            grant = await login.grant(name, settings.region, pair, on_trouble=troubles.append)
    except (TimeoutError, WosdkError) as caught:
        late = f"{watch.last_url} did not respond within {seconds:g} s"
        failure = DeadlineError(late) if isinstance(caught, TimeoutError) else caught
        route = watch.route(watch.last_url)
        has_token = failure.operation == "discovery" or isinstance(failure, DiscoveryError)
        has_token |= isinstance(failure, DeadlineError) and "locator" in watch.seconds
        if not has_token:
            return [*done, failed_step("token", failure, watch.seconds["token"], route)]
        failed = failed_step("discovery", failure, watch.seconds["locator"], route)
        return [*done, _token(settings, watch), failed]
    discovery = Step(
        route=watch.route(settings.region.locator_url),
        step="discovery",
        seconds=watch.seconds["locator"],
        detail=f"Company {grant.company_id} at {grant.base_url}, release {grant.company_version}",
    )
    return [*done, _token(settings, watch), discovery]


def _token(settings: Settings, watch: _Stopwatch) -> Step:
    skew = f"; this machine's clock is {watch.skew:+.0f} s off" if abs(watch.skew) > _MAX_SKEW else ""
    url = settings.region.token_url
    return Step(step="token", seconds=watch.seconds["token"], detail=f"{url}{skew}", route=watch.route(url))


async def _read(company: Company, watch: _Stopwatch) -> Step:
    started = time.monotonic()
    try:
        await company.connect()
        started = time.monotonic()
        found = await company.query("WorkOrder", {"PropertySet": {"Properties": ["Id"]}, "Count": 1})
    except WosdkError as error:
        return failed_step("read", error, time.monotonic() - started, watch.route(company.host))
    detail = "work orders can be read" if found else "work orders can be read; none exist yet"
    seconds = time.monotonic() - started
    return Step(step="read", seconds=seconds, detail=detail, route=watch.route(company.host))


class _Stopwatch(WatchedEngine):
    """Engine that measures response times and the skew of this machine's clock."""

    def __init__(self, verbose: int, seconds: float) -> None:
        limits = Limits(connections=1)
        options = ClientOptions(timeouts=Timeouts(connect=_CONNECT_SHARE * seconds))
        shown = RequestPrinter(verbose).engine(limits, options) if verbose else None
        super().__init__(shown or engine_for(options, limits))
        self._proxies = proxy_rules(options.proxy, options.trust_env)
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.last_url = ""
        self.skew = 0.0

    @contextmanager
    def watch(self, request: Request) -> Iterator[OnResponse]:
        self.last_url, started = request.url, time.monotonic()
        try:
            yield self._note_skew
        finally:
            self.seconds["token" if asks_for_token(request.body) else "locator"] += time.monotonic() - started

    def route(self, url: str | None) -> _Route | None:
        """Return the route to the host of ``url``; None if the host is unknown or the proxy is unusable."""
        try:
            proxy, setting = self._proxies.route(url or "") if self._proxies else (None, "")
        except ConfigurationError:  # the request raises the same error, which is reported
            return None
        host = urlsplit(url or "").netloc
        return (
            _Route(host=host, proxy=proxy.shown if proxy else None, proxy_setting=setting) if host else None
        )

    def _note_skew(self, response: Response) -> None:
        with suppress(KeyError, ValueError, OverflowError):  # no date header, or an invalid one
            self.skew = time.time() - parsedate_to_datetime(response.headers["date"]).timestamp()
