"""Client and call options, each defined once with its unit and default."""

from __future__ import annotations

import reprlib
import ssl
from collections.abc import Iterable
from typing import Any, ClassVar

import attrs

from wosdk_async.codec.checks import kind_of
from wosdk_async.errors import ConfigurationError
from wosdk_async.options.checks import HIDDEN_FIRST, check_kind, hook, instance, number, switch
from wosdk_async.options.hooks import AttemptHook, BeforeSend, OnInDoubt
from wosdk_async.options.httpx_family import HttpxClient, HttpxLimits, HttpxTimeout, HttpxTransport
from wosdk_async.protocol.verdicts import CODES, REFUSED
from wosdk_async.protocol.wire import Call
from wosdk_async.text.secret import Secret, as_secret, without_login

__all__ = [
    "DEFAULT_IN_FLIGHT",
    "CallOptions",
    "ClientOptions",
    "Limits",
    "RetryPolicy",
    "Timeouts",
    "as_limits",
    "as_timeouts",
]

DEFAULT_IN_FLIGHT = 32
"""Default of ``in_flight``, and the starting point of ``adaptive``."""

_BYTES = 2**62  # highest limit in bytes: longer than any response


def _seconds(default: Any) -> Any:
    return number(default, "seconds above 0", above=True, none=True)


def _count(default: int, takes: str = "a number, 1 or more") -> Any:
    return number(default, takes, low=1, high=_BYTES, whole=True)


@attrs.frozen(kw_only=True)
class Timeouts:
    """Time limits in seconds for the steps of a request; with None, only the call's deadline applies.

    The limits are checked four times a second. If ``read`` is shorter than a call's deadline, a slow
    create ends in doubt.
    """

    connect: float | None = _seconds(10.0)
    """Seconds for name look-up, TCP, proxy and TLS together."""
    read: float | None = _seconds(120.0)
    """Seconds until the first byte of the response, and between its chunks."""
    write: float | None = _seconds(30.0)
    """Seconds until the service accepts more bytes of a request."""
    pool: float | None = _seconds(None)
    """Seconds until a connection is free."""


@attrs.frozen(kw_only=True)
class Limits:
    """Limits on a client's connections and responses."""

    connections: int = _count(100)
    """Maximum connections for calls, per event loop. Exceeded only to allow each Company 4 concurrent calls.
    """
    keepalive: float = number(15.0, "seconds, 0 or more")
    """Seconds that an idle connection is kept."""
    lifetime: float = number(600.0, "seconds above 0", above=True)
    """Seconds after which even a working connection is replaced."""
    head: int = _count(64 * 1024, "bytes, 1 or more")
    """Maximum bytes of a response's status line and headers together."""
    headers: int = _count(200)
    """Maximum number of headers in a response."""
    body: int = _count(64 * 1024 * 1024, "bytes, 1 or more")
    """Maximum bytes of a response body, also after decompression."""


def as_timeouts(given: Timeouts | HttpxTimeout) -> Timeouts:
    """Return Timeouts, converted from a ``Timeout`` of httpx or httpx2. Raises ConfigurationError."""
    if isinstance(given, Timeouts):
        return given
    try:
        return Timeouts(**given.as_dict())
    except (AttributeError, TypeError, ValueError):
        raise ConfigurationError(
            f"timeouts is {given!r}; it must be Timeouts(...), or an httpx or httpx2 Timeout, with"
            f" seconds above 0"
        ) from None


def as_limits(given: Limits | HttpxLimits) -> Limits:
    """Return Limits, converted from those of httpx or httpx2; unset values keep our defaults."""
    if isinstance(given, Limits):
        return given
    try:
        named: dict[str, Any] = {"connections": given.max_connections, "keepalive": given.keepalive_expiry}
        return Limits(**{name: value for name, value in named.items() if value is not None})
    except (AttributeError, TypeError, ValueError):
        raise ConfigurationError(
            f"limits is {given!r}; it must be Limits(...), or an httpx or httpx2 Limits, with at least"
            f" one connection"
        ) from None


def _without_logins(given: Any) -> Any:
    """Remove passwords from host names, without validating the names."""
    if isinstance(given, str):
        return without_login(given)
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        return given
    return tuple(without_login(each) if isinstance(each, str) else each for each in given)


def _check_proxy(_: object, __: attrs.Attribute[Any], value: object) -> None:
    """Raise ConfigurationError for an invalid proxy address, but do not show it: it may contain a password.

    A bare host name is refused as a probable mistake, although it is valid in environment variables.
    """
    takes = "it must be the address of a proxy, such as http://proxy.example:8080"
    if value is None:
        return
    if not isinstance(value, Secret):
        raise ConfigurationError(f"proxy is {kind_of(value)}; {takes}")
    if why := _why_no_proxy(value.reveal()):
        raise ConfigurationError(f"proxy {why}; {takes}")


def _why_no_proxy(address: str) -> str:
    if any(char.isspace() for char in address) or not address:
        return "is empty or contains spaces"
    if "://" not in address and not address.rpartition(":")[2].isdecimal():
        return "has neither a scheme nor a port"
    return ""


def _as_codes(value: Any) -> Any:
    """Return an iterable of strings as a set; leave anything else to the validator, which refuses it."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return value
    codes = list(value)
    return frozenset(codes) if all(isinstance(code, str) and code for code in codes) else codes


def _check_codes(policy: RetryPolicy, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Raise ConfigurationError unless ``value`` is a set of error codes whose verdict can be changed."""
    name = f"RetryPolicy.{attribute.name}"
    if isinstance(value, list):
        wrong = next(code for code in value if not isinstance(code, str) or not code)
        raise ConfigurationError(f"{name} holds {reprlib.repr(wrong)}; an error code is a string")
    if not isinstance(value, frozenset):
        shown = reprlib.repr(value)
        example = shown if isinstance(value, str) else "'MY_CODE'"
        raise ConfigurationError(f"{name} is {shown}; it must be a set of error codes: {{{example}}}")
    for code in sorted(value):
        if code in CODES and CODES[code].verdict is not REFUSED:
            raise ConfigurationError(
                f"{name} holds {code!r}, whose verdict is fixed ({CODES[code].verdict.name}); remove it"
            )
    if both := value & policy.waits if attribute.name == "repeats" else ():
        raise ConfigurationError(f"{min(both)!r} is in both waits= and repeats=; remove it from one")


@attrs.frozen(kw_only=True)
class RetryPolicy:
    """When and how often calls are retried. Raises ConfigurationError for an invalid value."""

    attempts: int = number(4, "a number, 1 or more", low=1, whole=True)
    """Maximum attempts, including the first."""
    wait_initial: float = number(0.25, "seconds, 0 or more")
    """Upper bound in seconds of the random wait before the first retry; doubles with each further retry."""
    wait_max: float = number(8.0, "seconds, 0 or more")
    """Maximum in seconds of the random wait before any retry."""
    max_retry_after: float = number(60.0, "seconds, 0 or more")
    """Maximum Retry-After in seconds. After a longer one, the call is not retried."""
    waits: frozenset[str] = attrs.field(default=frozenset(), converter=_as_codes, validator=_check_codes)
    """Error codes known to mean that the service did nothing and asks the client to wait. A call that gets
    such a code is retried even if it is not safe to repeat (``docs/failures.md``). Retries honour
    Retry-After. If the last attempt gets such a code, the call raises ThrottledError.
    """
    repeats: frozenset[str] = attrs.field(default=frozenset(), converter=_as_codes, validator=_check_codes)
    """Error codes known to mean that the service did nothing. A call that gets such a code is retried even if
    it is not safe to repeat. If the last attempt gets such a code, the call raises the code's error class.
    """


@attrs.frozen(kw_only=True)
class CallOptions:
    """Call options: time and retries. Raises ConfigurationError for an invalid value."""

    deadline: float | None = number(None, "seconds, 0 or more", none=True)
    """Seconds for the whole call: queue, session, attempts, waits. None means 60, or 120 for calls that are
    not safe to repeat: a short deadline may leave them in doubt. With 0, nothing is sent.
    """
    retry: RetryPolicy = attrs.field(default=RetryPolicy())
    """When and how often the call is retried."""
    settle: float = number(30.0, "seconds, 0 or more")
    """Seconds during which a failed create may still take effect. Before it retries a marked call, the client
    keeps looking for the call's record for that long; the call's deadline still applies.
    """

    @retry.validator
    def _check_retry(self, _: object, value: object) -> None:
        check_kind("CallOptions.retry", value, RetryPolicy, "a RetryPolicy(...)")

    def within(self, seconds: float) -> CallOptions:
        """Return the same options with a deadline of ``seconds``, which must be 0 or more."""
        # Created without validation, because this runs for each attempt of a marked call.
        copy = object.__new__(CallOptions)
        for name in _ALL_BUT_DEADLINE:
            object.__setattr__(copy, name, getattr(self, name))
        object.__setattr__(copy, "deadline", seconds)
        return copy

    def seconds(self, call: Call[Any]) -> float:
        """Return the deadline of ``call``."""
        if self.deadline is not None:
            return self.deadline
        return 60.0 if call.repeat_safe else 120.0


_ALL_BUT_DEADLINE = tuple(field.name for field in attrs.fields(CallOptions) if field.name != "deadline")


@attrs.frozen(kw_only=True, eq=False)
class ClientOptions:
    """Options of a client: arguments of :class:`~wosdk_async.client.Client` and ``Client.from_env``.

    Raises ConfigurationError for invalid values and contradictory options.
    """

    PREFIX: ClassVar[str] = ""  # messages show these options without a prefix, as arguments of Client
    # --- trust ---
    trusted_hosts: Iterable[str] | None = attrs.field(
        default=None, converter=_without_logins, metadata=HIDDEN_FIRST
    )
    """Your own hosts: a locator may name them, and they may use plain http."""
    host_suffixes: Iterable[str] = ("corrigo.com",)
    """Domains under which a locator may name hosts."""
    ssl_context: ssl.SSLContext | None = instance(ssl.SSLContext, "an ssl.SSLContext")
    """Certificates to trust instead of the system's."""

    # --- connections ---
    limits: Limits = attrs.field(default=Limits(), converter=as_limits)
    """Connection and response limits: our Limits, or the ``Limits`` of httpx or httpx2."""
    timeouts: Timeouts | None = attrs.field(default=None, converter=attrs.converters.optional(as_timeouts))
    """Time limits of a request's steps: our Timeouts, or a ``Timeout`` of httpx or httpx2. None selects the
    timeouts of ``http_client`` if it is given, else the defaults of Timeouts.
    """
    proxy: Secret | None = attrs.field(
        default=None,
        converter=attrs.converters.optional(as_secret),
        validator=_check_proxy,
        metadata=HIDDEN_FIRST,
    )
    """Proxy address for all requests, replacing proxies from the environment."""
    trust_env: bool = switch(True)
    """Whether to use proxies from the environment (``docs/transport.md``)."""
    transport: HttpxTransport | None = hook("handle_async_request", "an httpx or httpx2 AsyncBaseTransport")
    """Your own httpx or httpx2 transport, such as ``MockTransport`` or ``ASGITransport``. The client does not
    close it.
    """
    http_client: HttpxClient | None = hook("aclose", "an httpx or httpx2 AsyncClient")
    """Your own httpx or httpx2 client, with its auth, proxies and hooks. The client does not close it."""

    # --- load: limits apply per event loop (docs/load.md) ---
    in_flight: int = number(DEFAULT_IN_FLIGHT, "a number of calls above 0", low=1, whole=True)
    """Maximum concurrent calls per Company and event loop; reduced after a 429 or 503 (``docs/load.md``)."""
    # The service publishes no limit (facts 7).
    rate: float | None = number(None, "calls per second, a number above 0", above=True, none=True)
    """Maximum calls per second per Company and event loop; None for no limit."""
    max_queued: int | None = number(None, "a number of calls, 0 or more", whole=True, none=True)
    """Maximum waiting calls per Company and event loop; further calls raise OverloadedError. None for no
    limit.
    """
    adaptive: bool = switch(False)
    """Whether to start with a limit of 32 concurrent calls per Company, and raise it only while throughput
    increases. Both ``in_flight`` and ``limits.connections`` must be above 32.
    """
    retry_quota: float = number(500, "a number, 0 or more")
    """Retry budget of the client: each retry costs 5, and successes refill the budget."""

    # --- calls ---
    options: CallOptions | None = instance(CallOptions, "CallOptions(...)")
    """Default deadline and retries for every call."""
    check_request_ids: bool = switch(True)
    """Whether to compare the RequestIds of responses with those of requests, to detect responses to other
    calls (``docs/failures.md``).
    """
    read_only: bool = switch(False)
    """Whether to refuse, before sending, every call that could change something."""

    # --- hooks ---
    before_send: BeforeSend | None = hook()
    """Called before each call; may stop the call or return a response (:data:`BeforeSend`, :class:`DryRun`).
    """
    on_in_doubt: OnInDoubt | None = hook(takes="a plain function", awaited=False)
    """Called when a call is cancelled and may have taken effect; must return immediately."""
    on_attempt: AttemptHook | None = hook(takes="a plain function", awaited=False)
    """Called after each request (:class:`Attempt`); must return immediately."""
    telemetry: bool = switch(True)
    """Whether to emit OpenTelemetry spans and metrics, if it is installed and has a provider."""
    traceparent: bool = switch(False)
    """Whether to send the trace id to the service, in the W3C header."""

    def __attrs_post_init__(self) -> None:
        """Refuse options that another option would override."""
        own = [name for name in ("transport", "http_client") if getattr(self, name) is not None]
        if len(own) == 2:
            raise ConfigurationError(
                "transport= and http_client= are mutually exclusive; use httpx.AsyncClient(transport=...)"
            )
        client = self.http_client
        if hasattr(client, "handle_async_request") and not hasattr(client, "is_closed"):
            raise ConfigurationError(f"http_client is {kind_of(client)}; pass a transport as transport=")
        ours = [name for name in ("ssl_context", "proxy") if getattr(self, name)]
        if own and ours:
            raise ConfigurationError(f"{ours[0]}= has no effect with {own[0]}=; set it there")
        if self.adaptive and (most := min(self.in_flight, self.limits.connections)) <= DEFAULT_IN_FLIGHT:
            raise ConfigurationError(
                f"adaptive=True has no effect with at most {most} calls in flight; raise in_flight and"
                f" limits=Limits(connections=...) above {DEFAULT_IN_FLIGHT}"
            )
