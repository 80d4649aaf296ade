"""Creates through faults: the outcomes of the client, compared with the store.

    python -m tests.chaos.reliability [--creates 20000] [--kills 4] [--seed 1] [--tls] [--uvloop] [--proxy]

The sandbox runs in its own process behind real sockets and applies every fault of a network and a server to
the creates (``tests/chaos/fault_server.py``). It is killed at random and restarted, so that connections are
refused, too. Each create has its own PoNumber. Then the store is read without the client:

- each input has exactly one outcome;
- each Done create is stored exactly once, with the Id of the result;
- no Failed or NotStarted create is stored;
- no create is stored twice;
- of the InDoubt creates, some are stored and some are not;
- the client has left no file descriptor and no task. The blocks of memory that Python uses are shown.

A second run uses the PoNumber as the marker; no create may then be in doubt. A third run gives each PoNumber
to two creates, which look first; both end with the same record. For servers that are not the service, run
``python -m tests.chaos.hostile``. The exit status is 1 if a promise is broken. Needs wosdk_async[all].
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import attrs
from anyio.from_thread import start_blocking_portal

from tests.chaos.fault_server import FaultServer, script
from tests.chaos.leaks import Resources
from tests.sandbox.faulty import IN_DOUBT
from tests.support import arguments
from tests.support.payload import create_command
from tests.support.serving import proxy
from wosdk_async import (
    CallOptions,
    Client,
    Done,
    Failed,
    InDoubt,
    RetryPolicy,
    Timeouts,
)

MARKER = "work_order.po_number"
_ATTEMPTS = 6


@attrs.frozen(kw_only=True)
class Effort:
    """Size of a run, and its faults.

    ``rate`` is the probability of each fault. A late commit happens ``late`` seconds after the end of its
    connection, and the client looks for it for ``settle`` seconds. ``deadline`` limits one attempt.
    """

    creates: int = 20_000
    kills: int = 4
    rate: float = 0.005
    late: float = 1.0
    settle: float = 4.0
    deadline: float = 10.0
    limit: int = 64
    seed: int = 1
    twice: bool = False
    """Whether each key is given to two simultaneous creates, which look first. Needs a marker."""
    tls: bool = False
    proxy: bool = False
    """Whether to use a proxy: by CONNECT over TLS, otherwise by absolute URLs."""

    def script(self, life: int) -> dict[str, Any]:
        """Return the faults after the server's ``life``-th start."""
        moves = max(self.creates // 8, 50)
        return script(self.seed * 1000 + life, rate=self.rate, late=self.late, moves=moves)


@attrs.frozen
class Finding:
    outcomes: Counter[str]
    errors: Counter[str]
    there: int
    """Number of creates in doubt that are in the store."""
    broken: list[str]
    injected: Counter[str]
    doubtful: int
    """Number of creates with a fault that leaves their outcome unknown."""
    kills: int
    seconds: float
    blocks: int = 0
    """Memory blocks in use by Python once the client is closed and the outcomes are discarded."""

    @property
    def ambiguous(self) -> bool:
        """Whether some creates in doubt are in the store and some are not."""
        return 0 < self.there < self.outcomes["InDoubt"]


async def run(effort: Effort, *, marked: bool, folder: Path) -> Finding:
    with FaultServer(folder / "reliability.db", tls=effort.tls) as server:
        server.load(effort.script(0))
        started = time.monotonic()
        with _proxy() if effort.proxy else contextlib.nullcontext() as through:
            outcomes = await _send(effort, server, marked, through)
        seconds = time.monotonic() - started
        server.load({})
        server.wait_for_late(30 + effort.late)
        return _compare(effort, outcomes, server, seconds)


@contextlib.contextmanager
def _proxy() -> Iterator[str]:
    """Run a proxy in its own thread within the block."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(proxy()) as port:
        yield f"http://127.0.0.1:{port}"


async def _send(effort: Effort, server: FaultServer, marked: bool, through: str | None) -> list[Any]:
    # With a marker the deadline covers all attempts and look-ups; the timeout ends an attempt that hangs.
    deadline = _ATTEMPTS * (effort.deadline + effort.settle) if marked else effort.deadline
    retry = RetryPolicy(attempts=_ATTEMPTS)
    options = CallOptions(deadline=deadline, settle=effort.settle, retry=retry)
    timeouts = Timeouts(read=effort.deadline)
    commands = (create_command(f"PO-{n // 2 if effort.twice else n}") for n in range(effort.creates))
    marker = MARKER if marked else None
    # While the server is down, a retry quota would end most calls before they are sent, which tests nothing.
    async with (
        Client.from_env(
            server.variables,
            options=options,
            timeouts=timeouts,
            retry_quota=10**6,
            ssl_context=server.context,
            proxy=through,
        ) as client,
        client.company().run_many(
            commands, marker=marker, look_first=effort.twice, limit=effort.limit
        ) as running,
    ):
        return [outcome async for outcome in _with_kills(effort, server, running)]


async def _with_kills(effort: Effort, server: FaultServer, running: AsyncIterable[Any]) -> AsyncIterator[Any]:
    """Yield the outcomes; kill the server after some of them, while other calls run."""
    rng = random.Random(effort.seed)
    shares = ((life - 0.5 + rng.random() / 2) / (effort.kills + 1) for life in range(1, effort.kills + 1))
    kills = {int(share * effort.creates): life for life, share in enumerate(shares, 1)}
    number, killing = 0, set[asyncio.Task[None]]()
    async for outcome in running:
        number += 1
        if life := kills.get(number):
            killing.add(asyncio.create_task(asyncio.to_thread(server.restart, effort.script(life), 0.2)))
        yield outcome
    await asyncio.gather(*killing)


def _compare(effort: Effort, outcomes: list[Any], server: FaultServer, seconds: float) -> Finding:
    stored = server.orders()
    broken = [f"{key} is there {len(ids)} times: {ids}" for key, ids in stored.items() if len(ids) > 1]
    if sorted(outcome.index for outcome in outcomes) != list(range(effort.creates)):
        broken.append(f"{len(outcomes)} outcomes of {effort.creates} inputs, or one twice")
    of_others = {_key(outcome) for outcome in outcomes if effort.twice and isinstance(outcome, Done)}
    for outcome in outcomes:
        key = _key(outcome)
        if isinstance(outcome, Done) and stored[key] != [outcome.result.wo.id]:
            broken.append(f"{key} is Done as {outcome.result.wo.id}, there is {stored[key]}")
        elif not isinstance(outcome, Done | InDoubt) and stored[key] and key not in of_others:
            broken.append(f"{key} is {outcome}, there is {stored[key]}")
    rules = effort.script(0)["rule"]
    doubtful = {n for n, rule in enumerate(rules) if _leaves_doubt(rule)}
    doubts = [outcome for outcome in outcomes if isinstance(outcome, InDoubt)]
    errors = Counter(type(o.error).__name__ for o in outcomes if isinstance(o, Failed | InDoubt))
    return Finding(
        outcomes=Counter(type(outcome).__name__ for outcome in outcomes),
        errors=errors,
        there=sum(bool(stored[_key(outcome)]) for outcome in doubts),
        broken=broken,
        injected=server.injected,
        doubtful=sum(times for rule, times in server.applied.items() if rule in doubtful),
        kills=server.kills,
        seconds=seconds,
    )


def _key(outcome: Any) -> str:
    key: str = outcome.input.work_order.po_number
    return key


def _leaves_doubt(rule: dict[str, Any]) -> bool:
    # A gateway's page has no Retry-After, so nothing says that the request was not carried out.
    gateways = rule.get("status") == 503 and rule.get("body") == "html"
    open_end = rule["fault"] in IN_DOUBT or rule.get("status") in (500, 502) or gateways
    return rule.get("operation") == "WoCreateCommand" and open_end


def _table(name: str, finding: Finding) -> str:
    figures: list[tuple[str, object]] = [*sorted(finding.outcomes.items()), *sorted(finding.errors.items())]
    figures += [("in doubt and in the store", finding.there)]
    figures += [("creates with a fault that leaves doubt", finding.doubtful)]
    figures += [(f"injected: {kind}", number) for kind, number in sorted(finding.injected.items())]
    figures += [("server killed", finding.kills), ("broken promises", len(finding.broken))]
    figures += [("blocks of memory afterwards", finding.blocks), ("seconds", f"{finding.seconds:.1f}")]
    shown = arguments.table(("what", "number"), figures)
    return "\n".join([f"## {name}", "", shown, "", *finding.broken[:20]])


async def _compare_all(effort: Effort) -> int:
    """Print the findings of all runs; return 1 if a promise is broken."""
    failed = False
    for given, marked, name in (
        (effort, False, "Without a marker"),
        (effort, True, "With a marker"),
        (attrs.evolve(effort, twice=True), True, "With a marker, each key twice, looked up first"),
    ):
        before = Resources.now()
        with tempfile.TemporaryDirectory() as folder:
            finding = await run(given, marked=marked, folder=Path(folder))
        after = Resources.now()
        finding = attrs.evolve(finding, broken=finding.broken + after.left(before), blocks=after.blocks)
        print(_table(f"{name}: {effort.creates} creates", finding), flush=True)
        as_promised = finding.outcomes["InDoubt"] == 0 if marked else finding.ambiguous
        failed |= bool(finding.broken) or not as_promised
    return int(failed)


def main() -> int:
    parser = arguments.parser("tests.chaos.reliability", "Creates through faults, compared with the store.")
    parser.add_argument(
        "--creates", type=arguments.count, default=20_000, metavar="N", help="creates to send"
    )
    parser.add_argument("--kills", type=int, default=4, metavar="N", help="how often the server is killed")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the faults")
    parser.add_argument("--tls", action="store_true", help="over https")
    parser.add_argument("--proxy", action="store_true", help="through a proxy")
    parser.add_argument("--uvloop", action="store_true", help="on uvloop instead of asyncio's own loop")
    given = vars(parser.parse_args())
    if given.pop("uvloop"):
        arguments.require(parser, "uvloop")
        import uvloop

        return uvloop.run(_compare_all(Effort(**given)))
    return asyncio.run(_compare_all(Effort(**given)))


if __name__ == "__main__":
    sys.exit(main())
