"""Sandbox with faults in its own process, which can be killed and restarted on the same ports."""

from __future__ import annotations

import socket
import ssl
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from tests.sandbox.faulty import IN_DOUBT
from tests.support.certificate import certificate
from tests.support.sandbox_process import log_in_form, serve

PAGE = 4000


def script(seed: int, *, rate: float, late: float, moves: int) -> dict[str, Any]:
    """Return all faults of a create, each at ``rate``; late commits happen after ``late`` seconds.

    Every ``moves`` creates, the Company moves to the other port.
    """
    create = {"operation": "WoCreateCommand", "rate": rate}
    rules: list[dict[str, Any]] = [
        {"fault": "latency", "operation": "command", "lognormal": {"p50": 0.001, "p99": 0.02}},
        {"fault": "expired_token", "rate": rate / 4},
        {"fault": "moved_host", "operation": "WoCreateCommand", "every": moves},
        {"fault": "reset", "operation": ["token", "discovery"], "rate": 0.1},
        {"fault": "reset", **create},
        {"fault": "reset", **create, "carried_out": True},
        {"fault": "half_reply", **create},
        {"fault": "half_reply", **create, "cut": "close"},
        {"fault": "garbage", **create},
        {"fault": "garbage", **create, "carried_out": False},
        {"fault": "slow_drip", **create, "piece": 400, "pause": 0.005},
        {"fault": "late_commit", **create, "after": late, "hold": 0.05},
        {"fault": "late_commit", "operation": "WoCreateCommand", "rate": rate / 10, "after": late},
        {"fault": "status", **create, "status": 429},
        {"fault": "status", **create, "status": 429, "retry_after": 1},
        {"fault": "status", **create, "status": 503, "body": "html"},
        {"fault": "status", **create, "status": 503, "retry_after_date": 1, "body": "empty"},
        {"fault": "status", **create, "status": 500},
        {"fault": "status", **create, "status": 500, "carried_out": True},
        {"fault": "status", **create, "status": 502, "body": "html"},
        {"fault": "status", **create, "status": 502, "body": "html", "carried_out": True},
        {"fault": "reset", "operation": "query", "rate": rate},
    ]
    last = {"fault": "request_id", **create, "mode": "foreign"}
    named = {rule["fault"] for rule in (*rules, last)}
    # After the others, because the seed applies to rules by position, and SMALL needs the faults of its seed.
    more = [{**rule, **create} for kind, rule in IN_DOUBT.items() if kind not in named]
    # Last, because a fault above ends its request, so that no create counts twice.
    return {"seed": seed, "rule": [*rules, *more, last]}


class FaultServer:
    """Sandbox that runs within its block.

    Args:
        store: file of the Company.
        tls: whether to serve https.
    """

    def __init__(self, store: Path, *, tls: bool = False) -> None:
        self.ports = _free_port(), _free_port()
        self._options = ["--store", str(store), "--port", str(self.ports[0])]
        self._options += ["--second-port", str(self.ports[1])]
        self.context: ssl.SSLContext | None = None
        """TLS context that trusts the server; None over http."""
        if tls:
            self._options += ["--certificate", str(certificate())]
            self.context = ssl.create_default_context(cafile=certificate())
        self.variables: dict[str, str] = {}
        self.injected: Counter[str] = Counter()
        self.applied: Counter[int] = Counter()
        self.kills = 0

    def __enter__(self) -> FaultServer:
        self._start()
        root = self.variables["WOSDK_LOCATOR_URL"]
        self._http = httpx.Client(base_url=root, timeout=30, verify=self.context or True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._http.close()
        self._kill()

    def load(self, faults: Mapping[str, Any]) -> None:
        """Add the counters of the current faults, then apply new faults."""
        self.count()
        self._http.put("/_sandbox/faults", json=faults).raise_for_status()

    def count(self) -> None:
        """Add the server's counters, which the next script resets to zero."""
        report = self._http.get("/_sandbox/faults").json()
        self.injected.update(report["injected"])
        self.applied.update(dict(enumerate(report["applied"])))

    def restart(self, faults: Mapping[str, Any], down: float) -> None:
        """Kill the server with SIGKILL, and restart it after ``down`` seconds.

        Faults between the last count and the kill are not counted.
        """
        self.count()
        self._kill()
        self.kills += 1
        time.sleep(down)
        self._start()
        self._http.put("/_sandbox/faults", json=faults).raise_for_status()

    def wait_for_late(self, within: float) -> None:
        """Wait until every late commit has happened. Raises TimeoutError after ``within`` seconds."""
        end = time.monotonic() + within
        while self._http.get("/_sandbox/faults").json()["late"]:
            if time.monotonic() > end:
                raise TimeoutError(f"late commits are still waiting after {within} s")
            time.sleep(0.05)

    def orders(self) -> defaultdict[str, list[int]]:
        """Return the ids of all work orders by their PoNumber, read without the client."""
        form = log_in_form(self.variables)
        token = self._http.post("/OAuth/token", data=form).json()["access_token"]
        headers = {"Authorization": f"Bearer {token}", "CompanyName": self.variables["WOSDK_COMPANY"]}
        found: defaultdict[str, list[int]] = defaultdict(list)
        last = 0
        while True:
            expression = {
                "PropertySet": {"Properties": ["Id", "PoNumber"]},
                "Criteria": {"Conditions": [_above(last)]},
                "Orders": [{"PropertyName": "Id", "OrderType": "Ascending"}],
                "Count": PAGE,
            }
            body = {"QueryExpression": expression}
            response = self._http.post("/api/v1/query/WorkOrder", json=body, headers=headers)
            page = [row["Data"] for row in response.raise_for_status().json()["Entities"]]
            if not page:
                return found
            for row in page:
                found[row["PoNumber"]].append(row["Id"])
            last = page[-1]["Id"]

    def _start(self) -> None:
        self._process, self.variables = serve(*self._options, preloaded=True)

    def _kill(self) -> None:
        self._process.kill()
        self._process.communicate()


def _above(number: int) -> dict[str, Any]:
    return {"PropertyName": "Id", "Operator": "GreaterThan", "Values": [number]}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
