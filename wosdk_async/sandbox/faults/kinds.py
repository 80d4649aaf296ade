"""Kinds of faults, their interface, and validators for their settings."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from email.utils import format_datetime
from random import Random
from statistics import NormalDist
from typing import Any, ClassVar, Protocol

import attrs
from attrs.validators import optional

from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.faults.exchange import BufferedResponse, FaultExchange
from wosdk_async.sandbox.schema.bodies import dump, peek_json


class Fault(attrs.AttrsInstance, Protocol):
    """Kind of fault, with its settings."""

    no_effect_on: ClassVar[frozenset[str]] = frozenset()  # operations
    no_effect_because: ClassVar[str] = ""

    def can_affect(self, operations: frozenset[str], request_id: str | None) -> bool:
        """Return whether the fault can have an effect on a request; rules do not count other requests."""
        return not operations & self.no_effect_on

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        """Apply the fault to a request, and return whether the request is finished."""


Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]


def _setting(wanted: str, is_right: Callable[[Any], bool]) -> Validator:
    def check(_instance: object, field: attrs.Attribute[Any], value: object) -> None:
        if not is_right(value):
            raise ValueError(f"{field.name} is {value!r}; it must be {wanted}")

    return check


def whole(low: int, high: int) -> Validator:
    """Return a validator for integers in a range, excluding booleans."""
    return _setting(
        f"a whole number from {low} to {high}", lambda value: type(value) is int and low <= value <= high
    )


def one_of(*words: str) -> Validator:
    """Return a validator for one of several words."""
    return _setting(f"one of {', '.join(words)}", lambda value: value in words)


_MAX_SECONDS = 10**6


def _is_number(value: Any, high: float = _MAX_SECONDS) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= high


def _is_span(value: Any) -> bool:
    return (
        isinstance(value, list | tuple) and [*map(_is_number, value)] == [True] * 2 and value[0] <= value[1]
    )


number = _setting(f"a number from 0 to {_MAX_SECONDS}", _is_number)
share = _setting("a number from 0 to 1", lambda value: _is_number(value, 1))
positive = whole(1, 10**9)
text = _setting("a string", lambda value: isinstance(value, str))
flag = _setting("true or false", lambda value: isinstance(value, bool))
span = _setting("two numbers, the lower one first", _is_span)


@attrs.frozen(kw_only=True)
class Latency(Fault):
    """Delay in seconds before the request is carried out.

    The delay is ``fixed``, ``uniform`` between two numbers, or ``lognormal``. A lognormal delay has a median
    and one higher percentile, as in ``{p50 = 0.05, p99 = 0.8}``.
    """

    fixed: float | None = attrs.field(default=None, validator=optional(number))
    uniform: Sequence[float] | None = attrs.field(default=None, validator=optional(span))
    lognormal: Mapping[str, float] | None = None

    def __attrs_post_init__(self) -> None:
        if sum(each is not None for each in (self.fixed, self.uniform, self.lognormal)) != 1:
            raise ValueError("latency needs exactly one of fixed, uniform and lognormal")
        if self.lognormal is not None:
            _log_parameters(self.lognormal)

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        """Wait, then let the request continue."""
        return await exchange.delay(self.seconds(rng))

    def seconds(self, rng: Random) -> float:
        """Return the delay in seconds for one request."""
        if self.uniform is not None:
            return rng.uniform(*self.uniform)
        if self.lognormal is not None:
            return rng.lognormvariate(*_log_parameters(self.lognormal))
        return self.fixed or 0.0


def _log_parameters(percentiles: Mapping[str, float]) -> tuple[float, float]:
    """Convert the median and a higher percentile to the mean and deviation of the logarithm."""
    try:
        low, high = sorted((int(name.removeprefix("p")), value) for name, value in percentiles.items())
        if low[0] != 50 or not 50 < high[0] < 100 or not 0 < low[1] <= high[1] < math.inf:
            raise ValueError
        middle, deviation = math.log(low[1]), NormalDist().inv_cdf(high[0] / 100)
        return middle, (math.log(high[1]) - middle) / deviation
    except (ValueError, TypeError, AttributeError):
        text = (
            f"lognormal is {percentiles!r}; it must be p50 and a higher percentile in seconds, as in"
            " {p50 = 0.05, p99 = 0.8}"
        )
        raise ValueError(text) from None


@attrs.frozen(kw_only=True)
class Status(Fault):
    """Error status as the response; the request is carried out only if ``carried_out`` is set."""

    status: int = attrs.field(validator=whole(400, 599), metadata={"example": 503})
    code: str = attrs.field(default="", validator=text)
    message: str = attrs.field(default="Injected by the sandbox.", validator=text)
    body: str = attrs.field(default="json", validator=one_of("json", "html", "empty"))
    retry_after: float | None = attrs.field(default=None, validator=optional(number))
    retry_after_date: float | None = attrs.field(default=None, validator=optional(number))
    carried_out: bool = attrs.field(default=False, validator=flag)

    def __attrs_post_init__(self) -> None:
        if self.retry_after is not None and self.retry_after_date is not None:
            raise ValueError("retry_after and retry_after_date are mutually exclusive; use one")
        if self.code and self.body != "json":
            raise ValueError("code is sent only in a json body; set body to json, or omit code")

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        if self.carried_out:
            await exchange.carry_out()
        response = self._response(exchange)
        headers = [*response.headers, *self._retry_after(exchange)]
        await exchange.respond(attrs.evolve(response, headers=headers))
        return True

    def _response(self, exchange: FaultExchange) -> BufferedResponse:
        if self.body == "json":  # not shown; assumed: the error code
            return exchange.refusal(Refusal(self.status, self.code or f"HTTP_{self.status}", self.message))
        if self.body == "empty":
            return BufferedResponse(self.status)
        page = f"<html><body><h1>{self.status}</h1>{html.escape(self.message)}</body></html>"
        return BufferedResponse(self.status, [(b"content-type", b"text/html")], page.encode())

    def _retry_after(self, exchange: FaultExchange) -> list[tuple[bytes, bytes]]:
        if self.retry_after is not None:
            return [(b"retry-after", str(math.ceil(self.retry_after)).encode())]
        if self.retry_after_date is not None:
            then = exchange.clock.now + timedelta(seconds=self.retry_after_date)
            return [(b"retry-after", format_datetime(then, usegmt=True).encode())]
        return []


@attrs.frozen(kw_only=True)
class Reset(Fault):
    """Connection reset without a response; the request is carried out only if ``carried_out`` is set."""

    carried_out: bool = attrs.field(default=False, validator=flag)

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        if self.carried_out:
            await exchange.carry_out()
        await exchange.reset()
        return True


@attrs.frozen(kw_only=True)
class LateCommit(Fault):
    """Connection closed without a response; after a delay (``after``), the request is carried out.

    The server waits ``hold`` seconds for the client to close the connection, then resets it. Without
    ``hold``, the server waits until the client closes it.
    """

    after: float = attrs.field(default=1.0, validator=number)
    hold: float | None = attrs.field(default=None, validator=optional(number))

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        gone = await exchange.wait_for_hang_up(self.hold)
        exchange.carry_out_later(gone + int(self.after * 10**9))
        await exchange.reset()
        return True


@attrs.frozen(kw_only=True)
class HalfResponse(Fault):
    """Response body truncated by a reset or close, after the request is carried out."""

    cut: str = attrs.field(default="reset", validator=one_of("reset", "close"))

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        response = await exchange.carry_out()
        await exchange.start_response(response, response.body[: len(response.body) // 2])
        await (exchange.reset() if self.cut == "reset" else exchange.close())
        return True


@attrs.frozen(kw_only=True)
class GarbageResponse(Fault):
    """Random bytes instead of a response, then a closed connection."""

    size: int = attrs.field(default=64, validator=whole(1, 1 << 20))
    carried_out: bool = attrs.field(default=True, validator=flag)

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        if self.carried_out:
            await exchange.carry_out()
        await exchange.send_garbage(rng.randbytes(self.size))
        return True


@attrs.frozen(kw_only=True)
class SlowDrip(Fault):
    """Complete response, sent in pieces of ``piece`` bytes with pauses of ``pause`` seconds."""

    piece: int = attrs.field(default=16, validator=whole(1, 1 << 20))
    pause: float = attrs.field(default=0.05, validator=number)

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        response = await exchange.carry_out()
        await exchange.start_response(response, b"")
        for start in range(0, len(response.body), self.piece):
            if exchange.closed:
                break
            await exchange.send_part(response.body[start : start + self.piece])
            await exchange.clock.sleep(self.pause)
        await exchange.end_response()
        return True


@attrs.frozen(kw_only=True)
class ExpiredToken(Fault):
    """Token that expires just before this request, so that the service refuses the request."""

    no_effect_on: ClassVar[frozenset[str]] = frozenset({"token"})
    no_effect_because: ClassVar[str] = "token requests carry no token yet: use another operation"

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        exchange.expire_token()
        return False


@attrs.frozen(kw_only=True)
class MovedHost(Fault):
    """Move of the request's Company to another port, before this request is carried out."""

    no_effect_on: ClassVar[frozenset[str]] = frozenset({"token", "discovery", "getcompanywsdkurlcommand"})
    no_effect_because: ClassVar[str] = (
        "a log-in returns the new host, so this fault has no effect: use another operation"
    )

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        exchange.move()
        return False


@attrs.frozen(kw_only=True)
class RequestIdFault(Fault):
    """Response with another RequestId or none, after the request is carried out.

    A ``foreign`` RequestId is that of the last response to another call; it is random if there was none. A
    response without a RequestId is not changed; most responses to calls other than commands have none.
    """

    no_effect_on: ClassVar[frozenset[str]] = frozenset({"token"})
    no_effect_because: ClassVar[str] = "token responses have no RequestId: use operation = 'command'"

    mode: str = attrs.field(default="altered", validator=one_of("altered", "missing", "foreign"))

    def can_affect(self, operations: frozenset[str], request_id: str | None) -> bool:
        """Return whether the response can have a RequestId, which the service copies from the request."""
        return request_id is not None and super().can_affect(operations, request_id)

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        response = await exchange.carry_out()
        body = peek_json(response.body)
        own = body.pop("RequestId", None)
        if isinstance(own, str):
            other = self._other(own, exchange.earlier_id or rng.randbytes(16).hex())
            body = body if other is None else {**body, "RequestId": other}  # RequestId stays the last key
            response = attrs.evolve(response, body=dump(body))
        await exchange.respond(response)
        return True

    def _other(self, own: str, earlier: str) -> str | None:
        if self.mode == "altered":
            return ("1" if own.startswith("0") else "0") + own[1:]
        return earlier if self.mode == "foreign" else None


KINDS: Mapping[str, type[Fault]] = {
    "latency": Latency,
    "status": Status,
    "reset": Reset,
    "late_commit": LateCommit,
    "half_reply": HalfResponse,
    "garbage": GarbageResponse,
    "slow_drip": SlowDrip,
    "expired_token": ExpiredToken,
    "moved_host": MovedHost,
    "request_id": RequestIdFault,
}
