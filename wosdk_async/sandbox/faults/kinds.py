"""Kinds of faults: what each does to a request or its response."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from email.utils import format_datetime
from random import Random
from statistics import NormalDist
from typing import Protocol

import attrs
from attrs.validators import optional

from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.faults.checks import flag, is_span, number, one_of, whole
from wosdk_async.sandbox.faults.exchange import FaultExchange, FaultyResponse
from wosdk_async.sandbox.schema.bodies import dump, peek_json

__all__ = ["KINDS", "Fault", "Latency"]


@attrs.frozen(kw_only=True)
class Latency:
    """A wait before the request is carried out: ``fixed`` seconds, ``uniform`` between two, or ``lognormal``
    through the median and one more percentile, as in ``{p50 = 0.05, p99 = 0.8}``.
    """

    fixed: float | None = attrs.field(default=None, validator=optional(number))
    uniform: Sequence[float] | None = None
    lognormal: Mapping[str, float] | None = None

    def __attrs_post_init__(self) -> None:
        if sum(each is not None for each in (self.fixed, self.uniform, self.lognormal)) != 1:
            raise ValueError("a latency needs one of fixed, uniform and lognormal")
        if self.uniform is not None and not is_span(self.uniform):
            raise ValueError(f"uniform is {self.uniform!r}; it must be two numbers, the lower one first")
        if self.lognormal is not None:
            _curve(self.lognormal)

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:
        await exchange.clock.sleep(self.seconds(draw))
        return False

    def seconds(self, draw: Random) -> float:
        """One wait."""
        if self.uniform is not None:
            return draw.uniform(*self.uniform)
        if self.lognormal is not None:
            return draw.lognormvariate(*_curve(self.lognormal))
        return self.fixed or 0.0


def _curve(percentiles: Mapping[str, float]) -> tuple[float, float]:
    """Mean and deviation of the logarithm, from the median and one percentile above it."""
    try:
        low, high = sorted((int(name.removeprefix("p")), value) for name, value in percentiles.items())
        if low[0] != 50 or not 50 < high[0] < 100 or not 0 < low[1] <= high[1] < math.inf:
            raise ValueError
        middle, deviation = math.log(low[1]), NormalDist().inv_cdf(high[0] / 100)
        return middle, (math.log(high[1]) - middle) / deviation
    except (ValueError, TypeError, AttributeError):
        text = f"lognormal is {percentiles!r}; it must be like {{p50 = 0.05, p99 = 0.8}}, in seconds above 0"
        raise ValueError(text) from None


class Fault(Protocol):
    """One kind of fault, with its settings."""

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:
        """Do it; whether the request is dealt with. If not, it goes on."""


@attrs.frozen(kw_only=True)
class Status:
    """An answer with a status of its own, before or after the request was carried out."""

    status: int = attrs.field(validator=whole(400, 599))
    body: str = attrs.field(default="json", validator=one_of("json", "html", "empty"))
    retry_after: float | None = attrs.field(default=None, validator=optional(number))
    retry_after_date: float | None = attrs.field(default=None, validator=optional(number))
    carried_out: bool = attrs.field(default=False, validator=flag)

    def __attrs_post_init__(self) -> None:
        if self.retry_after is not None and self.retry_after_date is not None:
            raise ValueError("retry_after and retry_after_date exclude each other")

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:  # noqa: ARG002 - as all faults
        if self.carried_out:
            await exchange.carry_out()
        reply = self._reply(exchange)
        await exchange.reply(attrs.evolve(reply, headers=[*reply.headers, *self._wait(exchange)]))
        return True

    def _reply(self, exchange: FaultExchange) -> FaultyResponse:
        if self.body == "json":  # the code is not shown; assumed
            return exchange.refusal(Refusal(self.status, f"HTTP_{self.status}", "Injected by the sandbox."))
        if self.body == "empty":
            return FaultyResponse(self.status)
        page = f"<html><body><h1>{self.status}</h1>Injected by the sandbox.</body></html>"
        return FaultyResponse(self.status, [(b"content-type", b"text/html")], page.encode())

    def _wait(self, exchange: FaultExchange) -> list[tuple[bytes, bytes]]:
        if self.retry_after is not None:
            return [(b"retry-after", str(math.ceil(self.retry_after)).encode())]
        if self.retry_after_date is not None:
            then = exchange.clock.now + timedelta(seconds=self.retry_after_date)
            return [(b"retry-after", format_datetime(then, usegmt=True).encode())]
        return []


@attrs.frozen(kw_only=True)
class Reset:
    """The connection is reset before, or after, the request is carried out, and without an answer."""

    carried_out: bool = attrs.field(default=False, validator=flag)

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:  # noqa: ARG002
        if self.carried_out:
            await exchange.carry_out()
        await exchange.reset()
        return True


@attrs.frozen(kw_only=True)
class LateCommit:
    """No answer; the request is carried out ``after`` seconds after the connection is gone.

    The server waits ``hold`` seconds for the client to hang up and then resets the connection itself;
    without it, the server waits for as long as the client does.
    """

    after: float = attrs.field(default=1.0, validator=number)
    hold: float | None = attrs.field(default=None, validator=optional(number))

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:  # noqa: ARG002
        await exchange.hold(self.hold)
        exchange.later(self.after)
        await exchange.reset()
        return True


@attrs.frozen(kw_only=True)
class HalfResponse:
    """The request is carried out, and its answer breaks off in its body, by a reset or an orderly close."""

    cut: str = attrs.field(default="reset", validator=one_of("reset", "close"))

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:  # noqa: ARG002
        reply = await exchange.carry_out()
        await exchange.begin(reply, reply.body[: len(reply.body) // 2])
        await (exchange.reset() if self.cut == "reset" else exchange.close())
        return True


@attrs.frozen(kw_only=True)
class GarbageResponse:
    """Random bytes in place of the answer, then the end of the connection."""

    size: int = attrs.field(default=64, validator=whole(1, 1 << 20))
    carried_out: bool = attrs.field(default=True, validator=flag)

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:
        if self.carried_out:
            await exchange.carry_out()
        await exchange.garbage(draw.randbytes(self.size))
        return True


@attrs.frozen(kw_only=True)
class SlowDrip:
    """The whole answer, its body in pieces of ``piece`` bytes with ``pause`` seconds after each."""

    piece: int = attrs.field(default=16, validator=whole(1, 1 << 20))
    pause: float = attrs.field(default=0.05, validator=number)

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:  # noqa: ARG002
        reply = await exchange.carry_out()
        await exchange.begin(reply, b"")
        for start in range(0, len(reply.body), self.piece):
            if exchange.gone:
                break
            await exchange.more(reply.body[start : start + self.piece])
            await exchange.clock.sleep(self.pause)
        await exchange.end()
        return True


@attrs.frozen(kw_only=True)
class ExpiredToken:
    """The token that the request carries ends here; the service's own refusal is the answer."""

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:  # noqa: ARG002
        exchange.expire_token()
        return False


@attrs.frozen(kw_only=True)
class MovedHost:
    """The Company moves to the server's other port, before this request is looked at."""

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:  # noqa: ARG002
        exchange.move()
        return False


@attrs.frozen(kw_only=True)
class RequestIdFault:
    """The request is carried out, and its response carries another RequestId, or none.

    ``foreign`` is that of the last response to another call; one that nobody sent when there was none.
    A response that carries no RequestId (only commands carry one, as a rule) is left as it is.
    """

    mode: str = attrs.field(default="altered", validator=one_of("altered", "missing", "foreign"))

    async def play(self, exchange: FaultExchange, draw: Random) -> bool:
        reply = await exchange.carry_out()
        body = peek_json(reply.body)
        own = body.pop("RequestId", None)
        if isinstance(own, str):
            other = self._other(own, exchange.earlier_id or draw.randbytes(16).hex())
            body = body if other is None else {**body, "RequestId": other}  # still the last key
            reply = attrs.evolve(reply, body=dump(body))
        await exchange.reply(reply)
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
