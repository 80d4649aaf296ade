"""Export of a million work orders to Parquet: speed compared with plain reading, memory, and equal values.

    python -m benchmarks.export [--rows 1000000 | --quick] [--repeats 1] [--json OUT.json]

A server process generates pages of work orders of 870 bytes from their ids. Each measurement has its own
process: the export, and plain reading of the same pages, as records and as dicts, with as many calls at once.
Then the file is read back, and each value is compared with the generator's.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.support import arguments
from wosdk_async import Client, Company, Credentials, Region, WorkOrder
from wosdk_async.jobs import Export

PARALLEL = 4
QUICK = 50_000
RATIO, MEGABYTES = 0.8, 300  # goals
ABOVE = re.compile(rb'"GreaterThan","Values":\["(\d+)"\]')
UNTIL = re.compile(rb'"LessOrEqual","Values":\["(\d+)"\]')
COUNT = re.compile(rb'"Count":(\d+)')
DAY = datetime(2026, 1, 1)


# --- the generator ----------------------------------------------------------------------------

CONSTANT: dict[str, Any] = {
    **{"TypeCategory": "Request", "StatusId": "New", "Access": "NotApplicable", "Duration": 60},
    **{"ShortLocation": "Riverside, floor 2, suite 214", "TaskRefinement": "Air handler, no cold air"},
    **{"ContactName": "Ada Moreau", "WonId": 0, "TimeZone": 35, "IsWarranty": False, "FlagId": 0},
    **{f"{name}.Id": 7 for name in ("WorkOrderCost", "Priority", "MainAsset", "WorkZone", "Employee")},
    **{f"{name}.Id": 9 for name in ("Specialty", "SubType", "LastAction")},
    **{"VendorNte.CurrencyTypeId": "USD", "CurrencyTypeId": "USD", "ConcurrencyId": 3},
    **{"CreatedDateUtc": datetime(2026, 3, 1, 15, 12, 31, 440000, UTC)},
    **{"DtCreated": datetime(2026, 3, 1, 9, 12, 31, 440000), "Extra": '{"NotDocumented":"kept in extra"}'},
}
"""Cells that are the same in each row."""


def cells(id: int) -> dict[str, Any]:
    """Return the cells of a row that depend on its id."""
    moment = DAY + timedelta(minutes=id)
    return {
        "Id": id,
        "Number": f"RS{id:07d}",
        "PoNumber": f"PO-{id % 997}",
        "Customer.Id": id % 1000 + 1,
        "VendorNte.Value": Decimal(id) / 4,
        "LastActionDate": moment,
        "DtDue": moment,
        "LastActionDateUtc": moment.replace(tzinfo=UTC),
        "DueDateUtc": moment.replace(tzinfo=UTC),
    }


def row(id: int) -> dict[str, Any]:
    """Return a work order as the service sends it."""
    made: dict[str, Any] = {"NotDocumented": "kept in extra"}
    for path, value in (CONSTANT | cells(id)).items():
        if path == "Extra":
            continue
        if isinstance(value, datetime):
            value = value.replace(tzinfo=None).isoformat()  # with 0 or 6 digits of a second
        elif isinstance(value, Decimal):
            value = float(value)  # quarters are exact
        first, _, rest = path.partition(".")
        if rest:
            made.setdefault(first, {})[rest] = value
        else:
            made[first] = value
    return made


def template() -> str:
    """Return the JSON of a row, with placeholders for the cells that depend on the id."""
    text = json.dumps({"Data": row(1)}, separators=(",", ":")).replace("%", "%%")
    first = cells(1)
    moment = DAY + timedelta(minutes=1)
    for found, mark in (
        (f'"{first["Number"]}"', '"RS%(id)07d"'),
        (f'"{first["PoNumber"]}"', '"PO-%(po)d"'),
        ('"Customer":{"Id":2}', '"Customer":{"Id":%(customer)d}'),
        ('"Value":0.25', '"Value":%(value)s'),
        (f'"{moment.isoformat()}"', '"%(moment)s"'),
        ('"Id":1}', '"Id":%(id)d}'),
        ('"Id":1,', '"Id":%(id)d,'),
    ):
        text = text.replace(found, mark)
    return text


def page(first: int, last: int, made: str) -> bytes:
    """Return the response with the rows from ``first`` to ``last``."""
    rows = (
        made
        % {
            "id": id,
            "po": id % 997,
            "customer": id % 1000 + 1,
            "value": id / 4,
            "moment": (DAY + timedelta(minutes=id)).isoformat(),
        }
        for id in range(first, last + 1)
    )
    return f'{{"Entities":[{",".join(rows)}]}}'.encode()


# --- the server -------------------------------------------------------------------------------


def _number_in(pattern: re.Pattern[bytes], body: bytes, otherwise: int) -> int:
    found = pattern.search(body)
    return int(found[1]) if found else otherwise


def response_body(path: str, body: bytes, rows: int, port: int, made: str) -> bytes:
    """Return the token, the host, or the page that ``body`` requests."""
    if path == "/OAuth/token":
        return b'{"access_token":"t","token_type":"bearer","expires_in":1199}'
    if path.endswith("GetCompanyWsdkUrlCommand"):
        return json.dumps({"CommandResult": {"Url": f"http://127.0.0.1:{port}/", "CompanyId": 1}}).encode()
    if b"Descending" in body:
        return page(rows, rows, made)
    above, size = _number_in(ABOVE, body, 0), _number_in(COUNT, body, 4000)
    return page(above + 1, min(above + size, _number_in(UNTIL, body, rows), rows), made)


async def serve(rows: int) -> None:
    """Print the port, and serve until the process is ended."""
    made = template()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = re.search(rb"(?i)content-length: (\d+)", head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                sent = response_body(head.split()[1].decode(), body, rows, port, made)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(sent), sent))
                await writer.drain()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(port, flush=True)
    await server.serve_forever()


@contextlib.contextmanager
def serving(rows: int) -> Iterator[str]:
    """Run the server in its own process, and yield the port."""
    command = [sys.executable, "-m", "benchmarks.export", "--serve", "--rows", str(rows)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


# --- measurements, each in a process of its own -----------------------------------------------


@contextlib.asynccontextmanager
async def company(port: str) -> AsyncIterator[Company]:
    """Connect to the server."""
    url = f"http://127.0.0.1:{port}"
    region = Region("bench", locator_url=url, token_url=f"{url}/OAuth/token")
    async with Client(region=region, credentials=Credentials("id", "secret")) as client:
        found = client.company("Acme")
        await found.connect()
        yield found


pauses: list[float] = []


@contextlib.asynccontextmanager
async def watching(every: float = 0.005) -> AsyncIterator[None]:
    """Record how long the event loop is blocked. Import packages before, because an import blocks it, too."""

    async def watch() -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(every)
            pauses.append(time.perf_counter() - started - every)

    task = asyncio.ensure_future(watch())
    yield
    task.cancel()


async def bare(way: str, port: str) -> int:
    """Read all rows without keeping them, and return their number."""
    async with company(port) as acme:
        query: Any = acme.query(WorkOrder) if way == "records" else acme.query("WorkOrder")
        rows = 0
        async with watching():
            async for _ in query.scan(parallel=PARALLEL):
                rows += 1
        return rows


async def export(port: str, output: Path) -> int:
    """Export all rows."""
    async with company(port) as acme:
        made = Export(WorkOrder, output, company=acme, parallel=PARALLEL)
        async with watching():
            return (await made).rows


async def measured(way: str, port: str, output: Path) -> dict[str, Any]:
    """Measure one way: return rows, seconds, longest pause of the loop, and peak memory."""
    if way == "export":
        Export(WorkOrder, output)  # imports the table packages before the measurement begins
    started, cpu = time.perf_counter(), time.process_time()
    rows = await (export(port, output) if way == "export" else bare(way, port))
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "way": way,
        "rows": rows,
        "seconds": round(seconds, 2),
        "rows_per_second": round(rows / seconds),
        "cpu_seconds": round(cpu, 2),
        "longest_pause_ms": round(1000 * max(pauses), 1),
        "peak_mb": round(peak, 1),
    }


def _measure_in_process(way: str, port: str, output: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.export", "--measure", way, port, str(output)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    print(json.dumps(found), file=sys.stderr, flush=True)
    return found


# --- the check ---------------------------------------------------------------------------------


def differences(path: Path, rows: int) -> int:
    """Return the number of cells that differ from the generator's. A missing row counts as one cell."""
    import importlib

    pq = importlib.import_module("pyarrow.parquet")

    wrong, expected = 0, 1
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=10_000):
            columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
            made = [cells(id) for id in range(expected, expected + batch.num_rows)]
            for name, values in columns.items():
                right = [each[name] for each in made] if name in made[0] else [CONSTANT.get(name)] * len(made)
                wrong += sum(map(_differ, values, right))
            expected += batch.num_rows
    return wrong + abs(rows + 1 - expected)


def _differ(found: Any, right: Any) -> bool:
    return found is not right and found != right


def compare(rows: int, repeats: int) -> dict[str, Any]:
    """Measure all ways in turns, and check the file."""
    ways = ("records", "dicts", "export")
    with tempfile.TemporaryDirectory() as folder, serving(rows) as port:
        output = Path(folder) / "orders.parquet"
        runs: dict[str, list[dict[str, Any]]] = {way: [] for way in ways}
        for _ in range(repeats):
            for way in ways:
                output.unlink(missing_ok=True)
                runs[way].append(_measure_in_process(way, port, output))
        size = output.stat().st_size
        wrong = differences(output, rows)
    speed = {way: statistics.median(each["rows_per_second"] for each in runs[way]) for way in ways}
    last = runs["export"]
    figures = {
        "rows": rows,
        "row_bytes": len(template()),
        "file_mb": round(size / 1e6, 1),
        "rows_per_second": speed,
        "of_records": round(speed["export"] / speed["records"], 2),
        "of_dicts": round(speed["export"] / speed["dicts"], 2),
        "peak_mb": max(each["peak_mb"] for each in last),
        "longest_pause_ms": max(each["longest_pause_ms"] for each in last),
        "different_cells": wrong,
    }
    figures["reached"] = wrong == 0 and figures["of_records"] >= RATIO and figures["peak_mb"] < MEGABYTES
    return figures


def main() -> int:
    """Read the arguments, then compare or act as a child process."""
    parser = arguments.parser("benchmarks.export", __doc__)
    parser.add_argument("--rows", type=arguments.count, default=1_000_000, metavar="N", help="rows to export")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} rows, without a verdict on speed")
    parser.add_argument("--repeats", type=arguments.count, default=1, metavar="N", help="rounds of each way")
    arguments.add_json(parser)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--measure", nargs=3, metavar=("WAY", "PORT", "OUTPUT"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        asyncio.run(serve(args.rows))
        return 0
    if args.measure:
        way, port, output = args.measure
        print(json.dumps(asyncio.run(measured(way, port, Path(output)))))
        return 0
    figures = compare(QUICK if args.quick else args.rows, args.repeats)
    text = json.dumps(figures, indent=2)
    print(text)
    if args.json:
        args.json.write_text(f"{text}\n", encoding="utf-8")
    wrong = figures["different_cells"] or figures["peak_mb"] >= MEGABYTES
    return int(bool(wrong) if args.quick else not figures["reached"])


if __name__ == "__main__":
    sys.exit(main())
