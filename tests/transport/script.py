"""Answers that several tests give, and a quick policy of retries."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from tests.support.service import Answer, Request
from tests.support.virtual import reply
from wosdk_async import CallOptions, RetryPolicy
from wosdk_async.protocol.wire import Response

QUICK = CallOptions(retry=RetryPolicy(attempts=3, wait_initial=0.001))
DONE = Answer(body={"CommandResult": {"Wo": {"Id": 7}}})
FOUND = Answer(body={"Data": {"Id": 1}})


class Script:
    """Answers one after the other; the last one stays."""

    def __init__(self, *answers: Answer) -> None:
        self.answers: Iterator[Answer] = iter(answers)
        self.last = answers[-1]

    def __call__(self, _: Request) -> Answer:
        return next(self.answers, self.last)


async def hang(*_: Any, **__: Any) -> Any:
    """Never answer, on a socket or on virtual time."""
    await asyncio.Event().wait()


async def found(*_: Any) -> Response:
    """Answer a read on virtual time."""
    return reply(FOUND.body)
