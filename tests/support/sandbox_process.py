"""Sandbox in a separate process on one core, and cheap loopback calls."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

from tests.support.floor import Pool
from tests.support.preloaded import Preloaded

ORDER: dict[str, Any] = {
    "Items": [{"Asset": {"Id": 20440}, "Task": {"Id": 14211}}],
    "TypeCategory": "Request",
    "SubType": {"Id": 259},
    "Customer": {"Id": 512},
}


_TIMEOUT = 60.0  # maximum seconds for a response
_PLAIN = json.dumps({"Command": {"WorkOrder": ORDER}}).encode()
_CORES = os.sched_getaffinity(0)  # read before anything pins this process to one


def log_in_form(variables: Mapping[str, str]) -> dict[str, str]:
    names = {"client_id": "WOSDK_CLIENT_ID", "client_secret": "WOSDK_CLIENT_SECRET"}
    return {"grant_type": "client_credentials", **{name: variables[each] for name, each in names.items()}}


def serve(*options: str, preloaded: bool) -> tuple[subprocess.Popen[str], dict[str, str]]:
    """Start ``wosdk sandbox serve``; return its process, and the variables that it prints.

    A ``preloaded`` one is a fork, which starts sooner and shares its memory. A connection of another process
    may use the port for a moment, so a start that fails is repeated.
    """
    command = ["sandbox", "serve", *options]
    if not preloaded:
        command = [sys.executable, "-c", "from wosdk_async.cli import main; main()", *command]
    for _ in range(20):
        start = Preloaded if preloaded else subprocess.Popen
        process = start(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert process.stdout is not None
        lines = [process.stdout.readline().rstrip("\n") for _ in range(5)]
        if all(lines):
            return process, dict(line.split("=", 1) for line in lines)
        process.communicate()
    raise AssertionError(f"{command} does not start")


class Sandbox:
    """``wosdk sandbox serve`` on the last core available to this process, as a context.

    Args:
        store: SQLite file.
        preloaded: see :func:`serve`.
    """

    def __init__(self, store: Path, *, preloaded: bool = False) -> None:
        self._store = store
        self._preloaded = preloaded
        self._core = max(_CORES)

    def __enter__(self) -> Self:
        self.process, self.variables = serve(
            "--store", str(self._store), "--port", "0", preloaded=self._preloaded
        )
        os.sched_setaffinity(self.process.pid, {self._core})
        self.port = int(self.variables["WOSDK_LOCATOR_URL"].rsplit(":", 1)[1])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.terminate()
        self.process.communicate(timeout=30)

    def cpu(self) -> float:
        """CPU seconds used by the server so far (Linux)."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss(self) -> int:
        """Memory held by the server in bytes (Linux)."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


class Session:
    """Token and connections of one Company.

    Args:
        at_once: number of connections and concurrent calls.
    """

    def __init__(self, variables: dict[str, str], port: int, at_once: int) -> None:
        self._variables, self._at_once = variables, at_once
        self._pool = Pool(port, at_once)
        self._headers = b"Host: 127.0.0.1\r\n"

    async def __aenter__(self) -> Self:
        form = urlencode(log_in_form(self._variables))
        response = json.loads(await self._post("OAuth/token", form.encode()))
        self._headers += (
            f"Authorization: Bearer {response['access_token']}\r\n"
            f"CompanyName: {self._variables['WOSDK_COMPANY']}\r\n"
        ).encode()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.close()

    async def _post(self, path: str, body: bytes, method: str = "POST") -> bytes:
        _, _, response = await self._pool.post(self._head(path, method), body, _TIMEOUT)
        return response

    async def call(self, path: str, body: object, method: str = "POST") -> Any:
        """Return the response as JSON; a refusal raises AssertionError."""
        content = b"" if body is None else json.dumps(body).encode()
        response = json.loads(await self._post(f"api/v1/{path}", content, method))
        assert "ErrorCode" not in response, response
        return response

    async def create(self, **members: Any) -> dict[str, Any]:
        """Create a work order by WoCreateCommand and return it."""
        response = await self.call("cmd/WoCreateCommand", {"Command": {"WorkOrder": ORDER | members}})
        made: dict[str, Any] = response["CommandResult"]["Wo"]
        return made

    async def post_order(self, _index: int) -> None:
        """Create a work order like `create`, without decoding the response."""
        response = await self._post("api/v1/cmd/WoCreateCommand", _PLAIN)
        assert response.startswith(b'{"CommandResult"'), response

    async def query(self, *conditions: tuple[str, str, Any], **expression: Any) -> list[dict[str, Any]]:
        """Return the work orders that match all conditions, each (path, operator, value)."""
        rows = [{"PropertyName": name, "Operator": how, "Values": [value]} for name, how, value in conditions]
        body = {"QueryExpression": {"Criteria": {"Conditions": rows}} | expression}
        return [row["Data"] for row in (await self.call("query/WorkOrder", body))["Entities"]]

    async def drive(self, call: Callable[[int], Any], indexes: Iterable[int]) -> float:
        """Make the calls concurrently over all connections; return the seconds."""
        left = iter(indexes)

        async def work() -> None:
            for index in left:
                await call(index)

        start = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(self._at_once)))
        return time.perf_counter() - start

    def _head(self, path: str, method: str = "POST") -> bytes:
        return f"{method} /{path} HTTP/1.1\r\n".encode() + self._headers
