"""Faults and clock over HTTP and from a file, and without a socket."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.sandbox.faulty import Raw, creates, raw_client
from tests.support.laws import each_of
from tests.support.preloaded import Preloaded
from wosdk_async.sandbox import Faults, LocalCompany
from wosdk_async.sandbox.faults.kinds import KINDS

DOCS = Path(__file__).parents[2] / "docs" / "sandbox.md"


@pytest.fixture(scope="module")
def shared() -> Iterator[Raw]:
    with LocalCompany() as local, raw_client(local) as raw:
        yield raw


def test_a_script_over_http(shared: Raw) -> None:
    """It is put, read with its counters, and taken away, while the server runs."""
    http, url = shared.caller.http, f"{shared.caller.root}/_sandbox/faults"
    assert http.put(url, json=creates("latency", fixed=0.001, rate=0.5)).status_code == 200
    script = {"seed": 3, **creates("garbage", every=2)}
    put = http.put(url, json=script).json()
    assert put.items() >= {**script, "matched": [0], "applied": [0], "injected": {}, "late": 0}.items()
    assert [shared.create(f"admin-{n}").end for n in range(3)] == ["open", "closed", "open"]
    assert (
        http.get(url).json().items() >= {"matched": [3], "applied": [1], "injected": {"garbage": 1}}.items()
    )
    assert http.delete(url).json()["rule"] == []
    assert shared.create("admin").end == "open"


@each_of(
    "body",
    [
        *(b"", b"[]", b"{", b'{"rule": [{"fault": "none"}]}', b'{"rule": [7]}', b"[" * 10**5),
        b'{"rule": [{"fault": "reset", "company": "Nroth"}]}',
    ],
)
def test_no_script(shared: Raw, body: bytes) -> None:
    """It is refused and the one in force stays."""
    url = f"{shared.caller.root}/_sandbox/faults"
    shared.caller.http.put(url, json={"seed": 5})
    response = shared.caller.http.put(url, content=body)
    assert (response.status_code, response.json()["ErrorCode"]) == (400, "INCORRECT_MODEL")
    assert shared.local.faults.script.seed == 5


def test_the_clock_over_http(shared: Raw) -> None:
    """It is read and moved forward, and a wrong span is refused."""
    http, url = shared.caller.http, f"{shared.caller.root}/_sandbox/clock"
    before = http.get(url).json()["now"]
    assert before.endswith("Z")
    assert http.post(url, json={"minutes": 21}).json()["now"] > before
    assert shared.create("clock").status == 403
    for body in (b"", b"[]", b'{"minutes": -1}', b'{"weeks": 1}', b'{"days": 1e300}', b'{"days": "1"}'):
        assert http.post(url, content=body).status_code == 400
    shared.caller.renew()


def test_the_script_of_the_docs(tmp_path: Path) -> None:
    """It has all kinds, ``wosdk sandbox serve --faults`` takes it, and its first rule strikes."""
    (text,) = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "faults.toml"
    path.write_text(text, encoding="utf-8")
    kinds = {rule.kind for rule in Faults(path).script.rules}
    assert not KINDS.keys() - kinds, f"add {KINDS.keys() - kinds} to the fault script in docs/sandbox.md"
    command = ["sandbox", "serve", "--port", "0", "--store", str(tmp_path / "s.db"), "--faults", str(path)]
    process = Preloaded(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    variables = dict(process.stdout.readline().strip().split("=", 1) for _ in range(5))
    with httpx.Client(base_url=variables["WOSDK_LOCATOR_URL"]) as http:
        report = http.get("/_sandbox/faults").json()
        assert {rule["fault"] for rule in report["rule"]} == kinds
        assert [http.post("/OAuth/token").status_code for _ in range(3)] == [503, 503, 400]
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    process.stdout.close()
