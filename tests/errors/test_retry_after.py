"""What a Retry-After says: how long to wait, and that a 503 has carried nothing out."""

from __future__ import annotations

import time
from email.utils import formatdate

import attrs
import pytest

from tests.support.laws import each_of
from tests.support.service import Answer, Service
from wosdk_async import CallOptions, InDoubtError, RetryPolicy, ThrottledError, WosdkError

ONCE = CallOptions(retry=RetryPolicy(attempts=1, max_retry_after=10_000))


@attrs.frozen
class Asking(Answer):
    """A page of a gateway with any header lines."""

    lines: tuple[str, ...] = ()

    def raw(self) -> bytes:
        head, _, body = super().raw().partition(b"\r\n\r\n")
        return b"\r\n".join([head, *(line.encode("latin-1") for line in self.lines), b"", body])


async def failed(*lines: str, status: int = 503, options: CallOptions = ONCE) -> tuple[WosdkError, int]:
    """Return the error of a create, and how often it was sent."""
    answer = Asking(status, b"<html>", lines=lines)
    async with Service(lambda _: answer) as service, service.client(options=options) as client:
        with pytest.raises(WosdkError) as caught:
            await client.company().run("WoCreateCommand", {"WorkOrder": {}})
    return caught.value, len(service.calls)


def date(seconds: float) -> str:
    return formatdate(time.time() + seconds, usegmt=True)


@pytest.mark.parametrize(
    "value", ["", "garbage", "-1", "nan", "inf", "1e999", "soon, later", "Wed, Thu", "," * 99]
)
async def test_one_that_cannot_be_read_says_nothing(value: str) -> None:
    """A gateway may have passed the create on before its page of a 503: in doubt, and sent once."""
    error, sent = await failed(f"Retry-After: {value}", options=CallOptions())
    assert (type(error), sent) == (InDoubtError, 1)
    error, _ = await failed(f"Retry-After: {value}", status=429)
    assert isinstance(error, ThrottledError)
    assert error.retry_after is None


@each_of(
    ("lines", "seconds"),
    [
        (["Retry-After: 7"], 7),
        (["Retry-After: 0"], 0),
        (["Retry-After: garbage", "Retry-After: 7", "Retry-After: 9"], 7),
        (["Retry-After: ", "Retry-After: 7"], 7),
        (["Retry-After: 7", "Retry-After: Wed, 21 Oct 2115 07:28:00 GMT"], 7),
        (["Retry-After: Wed, 21 Oct 2015 07:28:30 GMT", "Date: Wed, 21 Oct 2015 07:28:00 GMT"], 30),
        (
            [
                "Retry-After: Wed, 21 Oct 2015 07:28:30 GMT",
                "Retry-After: 7",
                "Date: Wed, 21 Oct 2015 07:28:00 GMT",
            ],
            30,
        ),
        (["Retry-After: Sunday, 06-Nov-94 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:49:07 GMT"], 30),
        (["Retry-After: Sun Nov  6 08:49:37 1994", "Date: Sun, 06 Nov 1994 08:49:07 GMT"], 30),
        (["Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"], 0),
    ],
)
async def test_what_is_asked_for(lines: list[str], seconds: float) -> None:
    """A number or a date of any form; of several, the first that can be read."""
    error, _ = await failed(*lines)
    assert isinstance(error, ThrottledError)
    assert error.retry_after == seconds


@pytest.mark.parametrize("ahead", [3600, -3600, 0])
async def test_a_date_counts_by_the_clock_of_the_service(ahead: float) -> None:
    error, _ = await failed(f"Date: {date(ahead)}", f"Retry-After: {date(ahead + 20)}")
    assert isinstance(error, ThrottledError)
    assert error.retry_after == pytest.approx(20, abs=1.1)


@pytest.mark.parametrize("lines", [[], ["Date: today"]])
async def test_a_date_without_that_of_the_service_counts_by_our_clock(lines: list[str]) -> None:
    error, _ = await failed(*lines, f"Retry-After: {date(20)}")
    assert isinstance(error, ThrottledError)
    assert error.retry_after == pytest.approx(20, abs=2.1)


async def test_a_wait_over_the_limit_says_why_nothing_was_retried() -> None:
    error, sent = await failed("Retry-After: 61", options=CallOptions())
    assert (type(error), sent) == (ThrottledError, 1)
    assert "61 s" in error.message
    assert "max_retry_after" in error.message
    error, _ = await failed("Retry-After: 61")
    assert "max_retry_after" not in error.message
