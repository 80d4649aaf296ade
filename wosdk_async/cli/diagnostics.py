"""The steps from the settings to the first record, each with its time."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any

import attrs

from wosdk_async import Company
from wosdk_async.cli.exit_codes import Exit, status_of
from wosdk_async.cli.remedies import remedy
from wosdk_async.errors import DeadlineError, DiscoveryError, WosdkError
from wosdk_async.options import Limits, RetryPolicy
from wosdk_async.protocol.wire import Response
from wosdk_async.settings import Settings
from wosdk_async.transport.clock import Clock, Deadlines
from wosdk_async.transport.http.engine import PoolStatistics, Read, whole_response
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.network import Network
from wosdk_async.transport.session.credentials import Tenant
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.session.login import Login
from wosdk_async.transport.session.manager import TokenGrant

__all__ = ["Step", "failed", "steps"]

_PATIENCE = 30.0  # seconds for the login, unless --deadline says otherwise
_SKEW = 120.0  # seconds that the clock may be off before it is told


@attrs.frozen(kw_only=True)
class Step:
    """What became of one step."""

    step: str
    ok: bool = True
    seconds: float = 0.0
    detail: str = ""
    remedy: str = ""
    status: Exit = attrs.field(default=Exit.DONE, repr=str)

    def as_dict(self) -> dict[str, Any]:
        """The step as JSON."""
        data = {"step": self.step, "ok": self.ok, "seconds": round(self.seconds, 3), "detail": self.detail}
        return data if self.ok else data | {"remedy": self.remedy}


def failed(name: str, error: WosdkError, seconds: float = 0.0) -> Step:
    """The step that ``error`` ended."""
    return Step(
        step=name,
        ok=False,
        seconds=seconds,
        detail=str(error),
        remedy=remedy(error),
        status=status_of(error),
    )


async def steps(settings: Settings, company: Company, deadline: float | None) -> AsyncIterator[Step]:
    """Take the steps behind the settings, up to the first that fails."""
    seconds = deadline or _PATIENCE
    watch = _Stopwatch()
    try:
        for taken in await _login(settings, company.name, watch, seconds):
            yield taken
            if not taken.ok:
                return
        yield await _read(company)
    finally:
        await watch.engine.aclose()


async def _login(settings: Settings, name: str, watch: _Stopwatch, seconds: float) -> list[Step]:
    """Credentials, token, discovery."""
    tenant = Tenant(name, settings.region, settings.credentials)  # type: ignore[arg-type] # the Company was made
    started = time.monotonic()
    try:
        pair = await tenant.pair()
    except WosdkError as error:
        return [failed("credentials", error, time.monotonic() - started)]
    done = [
        Step(step="credentials", seconds=time.monotonic() - started, detail=f"client id {pair.client_id}")
    ]
    clock = Clock()
    login = Login(
        engine=watch,
        clock=clock,
        deadlines=Deadlines(clock),
        policy=RetryPolicy(attempts=2),
        hosts=HostRules(trusted=settings.trusted_hosts),
    )
    try:
        async with asyncio.timeout(seconds):
            grant = await login.grant(name, settings.region, pair)
    except TimeoutError:
        late = DeadlineError(f"{watch.asked} did not answer within {seconds:g} s")
        return [*done, *_stopped(settings, watch, late)]
    except WosdkError as error:
        return [*done, *_stopped(settings, watch, error)]
    return [*done, _token(settings, watch), _discovery(watch, grant)]


def _stopped(settings: Settings, watch: _Stopwatch, error: WosdkError) -> list[Step]:
    """The steps up to the one that failed: the token's, or the locator's once there was a token."""
    locator = error.operation == "discovery" or isinstance(error, DiscoveryError)
    if locator or (isinstance(error, DeadlineError) and "locator" in watch.seconds):
        return [_token(settings, watch), failed("discovery", error, watch.seconds["locator"])]
    return [failed("token", error, watch.seconds["token"])]


def _token(settings: Settings, watch: _Stopwatch) -> Step:
    skew = f"; this clock is {watch.skew:+.0f} s off" if abs(watch.skew) > _SKEW else ""
    return Step(step="token", seconds=watch.seconds["token"], detail=f"{settings.region.token_url}{skew}")


def _discovery(watch: _Stopwatch, grant: TokenGrant) -> Step:
    return Step(
        step="discovery",
        seconds=watch.seconds["locator"],
        detail=f"Company {grant.company_id} at {grant.base_url}, release {grant.company_version}",
    )


async def _read(company: Company) -> Step:
    """One small read, as the client does it."""
    started = time.monotonic()
    try:
        await company.connect()
        started = time.monotonic()
        found = await company.query("WorkOrder", {"PropertySet": {"Properties": ["Id"]}, "Count": 1})
    except WosdkError as error:
        return failed("read", error, time.monotonic() - started)
    seen = "work orders can be read" if found else "work orders can be read; there are none yet"
    return Step(step="read", seconds=time.monotonic() - started, detail=seen)


class _Stopwatch:
    """An engine that notes how long its answers took, and by how much our clock differs from the server's."""

    def __init__(self) -> None:
        self.engine = engine_for(Network(), Limits(connections=1))
        self.capacity = self.engine.capacity
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.asked = ""
        self.skew = 0.0

    async def send(
        self,
        method: str,
        url: str,
        headers: tuple[tuple[str, str], ...],
        body: bytes | None,
        on_sending: Callable[[], None],
        repeat_safe: bool = False,
        read: Read = whole_response,
    ) -> Any:
        self.asked = url

        def noted(reply: Response) -> Any:
            self.skew = _skew(reply.headers)
            return read(reply)

        with self._timed("token" if body and body.startswith(b"grant_type=") else "locator"):
            return await self.engine.send(method, url, headers, body, on_sending, repeat_safe, noted)

    def statistics(self) -> PoolStatistics:
        return self.engine.statistics()

    async def aclose(self) -> None:
        await self.engine.aclose()

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] += time.monotonic() - started


def _skew(headers: Mapping[str, str]) -> float:
    """Seconds by which this clock is ahead of the server's; 0 when it does not say."""
    try:
        return time.time() - parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError, OverflowError):
        return 0.0
