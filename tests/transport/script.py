"""Answers that several tests give, and a quick policy of retries."""

from __future__ import annotations

from collections.abc import Iterator

from tests.support.service import Answer, Request
from wosdk_async import CallOptions, RetryPolicy

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
