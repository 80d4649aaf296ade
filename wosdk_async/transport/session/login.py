"""Log-in: request a token, then ask the locator for the Company's host.

Thousands of Companies share a few slots; waiting requests take the slots of requests that hang.
"""

from __future__ import annotations

from asyncio import CancelledError, Future, get_running_loop
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeGuard, TypeVar

import attrs

from wosdk_async import codec
from wosdk_async.errors import (
    ConfigurationError,
    DiscoveryError,
    NoAnswerError,
    NotSentError,
    RefusedError,
    SessionError,
    ThrottledError,
    WosdkError,
)
from wosdk_async.options import RetryPolicy
from wosdk_async.protocol.envelopes import refusal_in
from wosdk_async.protocol.matching import members
from wosdk_async.protocol.wire import Call, InconclusiveResponse
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets
from wosdk_async.text.secret import Secret
from wosdk_async.transport.clock import Deadlines, Scope, Timer, TransportClock
from wosdk_async.transport.http.engine import (
    POOL_EXHAUSTED,
    Engine,
    Request,
    RequestBody,
    RequestHeaders,
    SendError,
    without_frames,
)
from wosdk_async.transport.retry import Retries, UnreachableHosts
from wosdk_async.transport.session.credentials import AccessToken, Credentials, Region
from wosdk_async.transport.session.hosts import HostRules, is_local
from wosdk_async.transport.session.login_responses import (
    LOCATOR,
    MIN_LIFETIME,
    TOKEN,
    Address,
    discovered,
    is_token,
    token_and_lifetime,
)
from wosdk_async.transport.session.manager import TokenGrant
from wosdk_async.transport.session.renewal import TimeLeft
from wosdk_async.transport.telemetry.statistics import Trace

OnTrouble = Callable[[str], None]
"""Function called with the reason why a log-in is waiting, with secrets removed."""


def asks_for_token(body: RequestBody) -> TypeGuard[Secret]:
    """Return whether a request with this body asks for a token, and so contains the secret."""
    return isinstance(body, Secret)


def granted_token(body: bytes) -> str:
    """Return the token from a log-in response; empty if there is none."""
    token = members(body).get("access_token")
    return token if isinstance(token, str) else ""


T = TypeVar("T")

_NO_SECRETS = Secrets()

# Seconds. If an attempt begins during an outage of 3 s and hangs, it ends after at most 11 s, in time for
# another attempt within a deadline of 12 s.
_ATTEMPT_TIMEOUT = 8.0
_MAX_TEXT = 200  # maximum characters of a version


def _session_headers(company: str, token: Secret) -> RequestHeaders:
    """Return the headers of every call, including discovery (spec 5)."""
    return (
        ("Authorization", Secret(f"Bearer {token.reveal()}")),
        ("CompanyName", company),
        ("Content-Type", "application/json"),
        ("Accept-Encoding", "gzip,deflate"),
    )


def _require_token(token: object) -> None:
    if not (isinstance(token, Secret) and is_token(token.reveal())):
        raise SessionError("the provided session has no token that can be sent")


def _missing_url_error(found: dict[str, Any], company: str, secrets: Secrets) -> DiscoveryError:
    error = DiscoveryError("the locator's response has no Url", company=company)
    if said := refusal_in(found):  # facts 2
        error.args = (f"{error.message}, but the error {said.code}: {said.message}",)
        error.add(code=said.code, status=said.status)
        error.hide(secrets)
    return error


@attrs.frozen
class _CompanyLogin:
    """Log-in of one Company, which reports its failures to the waiting callers."""

    company: str
    region: Region
    note: OnTrouble
    time_left: TimeLeft | None

    def note_failure(self, failure: Exception, wait: float) -> None:
        """Report why the log-in waits. Secrets in ``failure`` are already hidden."""
        text = f"retry in {wait:.3g} s ({failure})"
        if isinstance(failure, RefusedError):
            text = f"HTTP {failure.status}, retry in {wait:.3g} s ({failure.message})"
        self.note(text)


@attrs.frozen(kw_only=True)
class Login:
    """Log-in requests: the token, then the host. Both are safe to repeat."""

    engine: Engine
    clock: TransportClock
    policy: RetryPolicy
    hosts: HostRules
    preemptive: bool = True
    """Whether slow requests are cancelled to make way for others; false with the program's own pool."""
    unreachable: UnreachableHosts = attrs.field(
        default=attrs.Factory(lambda self: UnreachableHosts(self.clock), takes_self=True)
    )
    deadlines: Deadlines = attrs.field(
        init=False, default=attrs.Factory(lambda self: Deadlines(self.clock), takes_self=True)
    )
    slots: LoginSlots = attrs.field(init=False)

    @slots.default
    def _slots_of_engine(self) -> LoginSlots:
        return LoginSlots(self.engine.capacity, self.clock, self.deadlines, self.preemptive)

    async def grant(
        self,
        company: str,
        region: Region,
        credentials: Credentials | AccessToken,
        replaced: Secrets = _NO_SECRETS,
        on_trouble: OnTrouble = lambda _: None,
        time_left: TimeLeft | None = None,
    ) -> TokenGrant:
        """Request a token, then the host of ``company``; skip what ``credentials`` already contain.

        ``replaced`` contains the secrets of earlier sessions, which a response may still repeat.
        ``on_trouble`` is called before each request and each wait. ``time_left`` returns how long callers
        will wait for another attempt; without it, ``policy`` limits the attempts.

        Raises:
            SessionError: the log-in failed; the subclass gives the reason.
            NotSentError: a host is unreachable or sends no readable response.
        """
        known = credentials.secrets()
        login = _CompanyLogin(company, region, on_trouble, time_left)
        if isinstance(credentials, AccessToken):
            token, lifetime = credentials.token, max(credentials.expires_in, MIN_LIFETIME)
            _require_token(token)
            if credentials.base_url is not None:
                return self._grant_for_host(company, region, credentials, credentials.base_url)
        else:
            token, lifetime = await self._token(login, credentials, known + replaced)
        secrets = Secrets(token) + known
        hidden = secrets + replaced
        locator = LOCATOR.url(region, self.hosts)
        found = self._host(await self._discover(login, token, hidden), company, locator, hidden)
        if isinstance(found, DiscoveryError):
            raise found
        base_url, version, number = found
        return TokenGrant(
            token=token,
            headers=_session_headers(company, token),
            secrets=secrets,
            expires_in=lifetime,
            base_url=base_url,
            locator_url=locator,
            company_version=version,
            company_id=number,
        )

    def _host(
        self, found: dict[str, Any], company: str, locator: str, hidden: Secrets
    ) -> tuple[str, str | None, int | None] | DiscoveryError:
        """Return the host, version and id of a Company from the locator's result.

        An error is returned, not raised: ``found`` may contain a secret, and tracebacks show local variables.
        """
        url, version, number = found.get("Url"), found.get("CompanyVersion"), found.get("CompanyId")
        if not isinstance(url, str) or not url:
            return _missing_url_error(found, company, hidden)
        if hidden.within(url):
            return DiscoveryError("the locator's response has a Url that contains the token or secret")
        try:
            base_url = self.hosts.company_url(url, local=is_local(locator))
        except DiscoveryError as error:
            error.hide(hidden)  # also hides secrets that are too short for the search above
            return without_frames(error)
        shown = hidden.hide(version, _MAX_TEXT) if isinstance(version, str) else None
        return base_url, shown, number if isinstance(number, int) else None

    def _grant_for_host(self, company: str, region: Region, given: AccessToken, base_url: str) -> TokenGrant:
        try:
            host = self.hosts.given_host(base_url)
        except ConfigurationError as error:
            error.hide(given.secrets())  # the message shows the address, which may contain the token
            raise
        locator, lifetime = LOCATOR.url(region, self.hosts), max(given.expires_in, MIN_LIFETIME)
        grant = TokenGrant(token=given.token, expires_in=lifetime, base_url=host, locator_url=locator)
        return self.accept(company, grant)

    def accept(self, company: str, grant: TokenGrant) -> TokenGrant:
        """Check a session from the credentials provider, and return it with its headers.

        The provider has chosen the host: the rules for hosts that a locator names do not apply. Raises
        ConfigurationError for an http address of a host that requires https, and SessionError for a token
        that cannot be sent.
        """
        _require_token(grant.token)
        host = self.hosts.endpoint("the host of the provided session", grant.base_url)
        return attrs.evolve(
            grant,
            headers=_session_headers(company, grant.token),
            secrets=Secrets(grant.token) + grant.secrets,
            expires_in=max(grant.expires_in, MIN_LIFETIME),
            base_url=host,
        )

    async def _token(
        self, login: _CompanyLogin, credentials: Credentials, secrets: Secrets
    ) -> tuple[Secret, float]:
        call = Call("token", "POST", "", token_and_lifetime, repeat_safe=True)
        headers = (("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"))
        return await self._send(call, credentials.form(), TOKEN, headers, secrets, login)

    async def _discover(self, login: _CompanyLogin, token: Secret, secrets: Secrets) -> dict[str, Any]:
        command = {"ApiType": "REST", "CompanyName": login.company, "Protocol": "HTTPS"}
        body = codec.dumps({"Command": command})
        path = "api/v1/cmd/GetCompanyWsdkUrlCommand"  # spec 4.1
        call = Call("discovery", "POST", path, discovered, repeat_safe=True)
        headers = _session_headers(login.company, token)
        return await self._send(call, body, LOCATOR, headers, secrets, login)

    async def _send(
        self,
        call: Call[T],
        body: RequestBody,
        address: Address,
        headers: RequestHeaders,
        secrets: Secrets,
        login: _CompanyLogin,
    ) -> T:
        base = address.url(login.region, self.hosts)
        if not self.preemptive:
            # Each request gets its own connection. On a shared connection, a late response could be taken for
            # the next request's, because log-in responses do not name their request.
            headers += (("Connection", "close"),)
        trace, url = Trace(), f"{base}/{call.path}" if call.path else base
        login.note(f"{address.name} {base} has not responded")
        request = Request(
            call.method,
            url,
            headers,
            body,
            repeat_safe=call.repeat_safe,
            read=lambda response: address.read(call, response, secrets),
        )

        async def once() -> T:
            trace.attempts += 1
            try:
                result: T = await self.slots.run(partial(self.engine.send, request), _ATTEMPT_TIMEOUT)
            except TimeoutError as late:
                if POOL_EXHAUSTED in getattr(late.__cause__, "__notes__", ()):
                    why = f"{url}: {POOL_EXHAUSTED}"
                    raise SendError(why, sent=False, timeout="pool", remedy=Remedy.POOL) from None
                raise SendError(f"{url}: no response within {_ATTEMPT_TIMEOUT:g} s", sent=True) from None
            except SendError as failure:
                failure.hide(secrets)
                raise
            except InconclusiveResponse as page:  # for this error, the engine has closed the connection
                error = address.page_error(base, page)
            else:
                return result
            raise error

        try:
            on_wait = partial(self._note_failure, login, base)
            retries = Retries(self.policy, self.clock, time_left=login.time_left, on_wait=on_wait)
            return await retries.run(call, once, trace)
        except WosdkError as error:
            _explain(error, url)
            error.add(operation=call.operation, attempts=trace.attempts)
            if isinstance(error, ThrottledError):
                login.note_failure(error, error.retry_after or 0.0)
            if isinstance(error, RefusedError):
                meant = address.meaning_of(error, base, login.company, login.region)
                if meant is not error:
                    raise meant from error
            if isinstance(error, NoAnswerError):  # the caller's own call was not sent
                why = f"the log-in got {error.message}; the call was not sent"
                raise NotSentError(why, **error.facts) from error
            raise

    def _note_failure(self, login: _CompanyLogin, base: str, failure: Exception, wait: float) -> None:
        login.note_failure(failure, wait)
        if login.time_left is not None:
            self.unreachable.warn_unreachable(failure, base, login.time_left())


def _explain(error: WosdkError, url: str) -> None:
    """Add likely causes to ``error`` if the host of ``url`` does not respond."""
    if isinstance(error, NoAnswerError) and not error.status and url.startswith("http:"):
        # A server that expects TLS closes a connection with plain http without a response.
        error.args = (f"{error.message}; if this host speaks https, write https:// in its address",)
    cause = error.__cause__
    if isinstance(cause, SendError) and cause.host_gone and is_local(url):
        error.add(remedies=(Remedy.START_SANDBOX,))


# --- slots -------------------------------------------------------------------------------------

# Seconds after which the first, second and each further attempt may be preempted. With these, 1,200 hanging
# requests delay the next one by 6 s.
_ALLOWANCES = (0.25, 2.5, 60.0)
_OWN_POOL = (1.0, 60.0)  # allowances with the program's own pool; 500 hanging requests delay the next by 10 s
_MAX_USUAL = 1.0  # maximum first allowance if responses usually take long
_DECAY = 0.9  # weight of the longest recent time after each further response
_SLOW_SHARE = 4  # one in this many slots is reserved for slow requests


class LoginSlots:
    """Slots for ``total`` concurrent requests within one event loop.

    A preempted request is cancelled and retried as a slow request, which is safe for all log-in requests. A
    waiting new request preempts a first attempt that has run for 0.25 s; if recent responses were slow, this
    threshold rises to at most 1 s. Any waiting request preempts a first or second attempt after 2.5 s. A
    quarter of the slots is reserved for slow requests, so that a slow host still serves all of its callers.
    While slow requests hold more than a quarter, a waiting new request immediately preempts the newest slow
    request, which moves to the head of the slow queue.

    With ``preemptive=False``, each request is preempted at most once, after 1 s, and slow requests leave a
    quarter of the slots to new requests. This is for httpx, which may lose the connection of a request that
    is cancelled soon after it began.
    """

    def __init__(
        self, total: int, clock: TransportClock, deadlines: Deadlines, preemptive: bool = True
    ) -> None:
        # Only the loop's own thread uses this object, so nothing here relies on the GIL.
        self._clock = clock
        self._deadlines = deadlines
        self._preemptive = preemptive
        self._allowances = _ALLOWANCES if preemptive else _OWN_POOL
        self._free = total
        self._reserved = reserved = max(1, total // _SLOW_SHARE)
        self._max_slow = total if preemptive else max(reserved, total - reserved)
        self._slow_slots = 0
        self._usual = 0.0
        """Longest recent response time, in seconds."""
        self._fresh, self._slow = deque[Future[None]](), deque[Future[None]]()
        """Queue of new requests, and queue of slow requests."""
        self._running_slow: dict[Scope, None] = {}
        self._late: dict[Scope, None] = {}
        """Running requests that will be preempted if a new request has to wait."""
        self._overdue: dict[Scope, None] = {}
        """Running requests that will be preempted if any request has to wait."""
        self._preempted: dict[Scope, bool] = {}
        """Preempted requests, and whether each had run for its full time in ``_allowances``."""

    async def run(self, send: Callable[[], Awaitable[T]], seconds: float) -> T:
        """Return the result of ``send()``, which is called again after a preemption.

        Raises TimeoutError if an attempt takes more than ``seconds``.
        """
        level, first, now = 0, False, self._clock.now
        while True:
            await self._take(slow := level > 0, first)
            scope = self._deadlines.within(seconds)
            if slow:
                self._running_slow[scope] = None
            timers = self._start_timers(scope, level)
            begun = now()
            try:
                with scope:
                    result = await send()
                self._usual = max(now() - begun, _DECAY * self._usual)
                return result
            except TimeoutError:
                if scope not in self._preempted:
                    raise
                first = not self._preempted[scope]
            finally:
                for timer in timers:
                    timer.cancel()
                self._forget(scope)
                self._preempted.pop(scope, None)
                self._release(slow)
            if not first:
                level = min(level + 1, len(self._allowances) - 1)

    def _start_timers(self, scope: Scope, level: int) -> list[Timer]:
        overdue = partial(self._mark, self._overdue, scope)
        timers = [self._clock.call_later(self._allowances[max(level, 1)], overdue)]
        if level == 0:
            allowance = max(self._allowances[0], min(2 * self._usual, _MAX_USUAL))
            timers.append(self._clock.call_later(allowance, partial(self._mark, self._late, scope)))
        return timers

    async def _take(self, slow: bool, first: bool) -> None:
        queue, granted = self._slow if slow else self._fresh, get_running_loop().create_future()
        if first:
            queue.appendleft(granted)
        else:
            queue.append(granted)
        self._grant()
        try:
            await granted
        except CancelledError:
            if not granted.cancelled():
                self._release(slow)
            elif granted in queue:
                queue.remove(granted)
            raise

    def _release(self, slow: bool) -> None:
        self._free += 1
        self._slow_slots -= slow
        self._grant()

    def _grant(self) -> None:
        """Grant free slots, and preempt running requests for those still waiting."""
        fresh, slow, reserved = self._fresh, self._slow, self._reserved
        while self._free and (fresh or slow):
            is_slow = bool(slow) and self._slow_slots < (reserved if fresh else self._max_slow)
            if not (fresh or is_slow):
                break
            granted = (slow if is_slow else fresh).popleft()
            if not granted.done():  # a cancelled caller gets no slot
                self._free -= 1
                self._slow_slots += is_slow
                granted.set_result(None)
        while self._late and len(fresh) > len(self._preempted):
            self._preempt(next(iter(self._late)), used_up=True)
        while self._overdue and len(fresh) + len(slow) > len(self._preempted):
            self._preempt(next(iter(self._overdue)), used_up=True)
        while self._preemptive and len(self._running_slow) > reserved and len(fresh) > len(self._preempted):
            # the newest, which loses the least progress
            self._preempt(next(reversed(self._running_slow)), used_up=False)

    def _mark(self, marked: dict[Scope, None], scope: Scope) -> None:
        marked[scope] = None
        self._grant()

    def _preempt(self, scope: Scope, *, used_up: bool) -> None:
        self._forget(scope)
        self._preempted[scope] = used_up
        scope.expire()

    def _forget(self, scope: Scope) -> None:
        self._late.pop(scope, None)
        self._overdue.pop(scope, None)
        self._running_slow.pop(scope, None)
