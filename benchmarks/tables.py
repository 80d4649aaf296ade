"""Rows per second of decoding pages to records and tables, compared with msgspec and pydantic.

    python -m benchmarks.tables [--rows 1000] [--rounds 15]

The figures are CPU time, medians of rounds in which the cases take turns. Each case begins with the bytes of
a response. ``records`` is what ``query.all()`` does, and the program reads three fields of each record.
``msgspec`` and ``pydantic`` do the same with classes that a program would write. ``loads`` is JSON to dicts.
The pages have orders from a default read, the same orders with a field missing from the catalogue, or 12
selected columns.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from tests.support import arguments
from tests.support.order_pages import ROW
from wosdk_async import WorkOrder, codec
from wosdk_async.protocol import calls
from wosdk_async.query.columns import columns_of
from wosdk_async.query.table import TableBuilder

TWELVE = (
    *("Number", "StatusId", "TypeCategory", "Duration", "PoNumber", "VendorNte", "Customer.Name"),
    *("DtDue", "DueDateUtc", "CreatedDateUtc", "IsWarranty"),
)
ORDER = {name: value for name, value in json.loads(ROW)["Data"].items() if name != "NotDocumented"}
SELECTED = {
    "Id": 1,
    **{name: ORDER[name] for name in TWELVE if name in ORDER},
    "Customer": {"Id": 512, "Name": "Lindqvist Dental LLC"},
}


def page(order: dict[str, Any], rows: int) -> bytes:
    """Return a response with ``rows`` copies of an order, each with its own id."""
    return codec.dumps({"Entities": [{"Data": {**order, "Id": id}} for id in range(1, rows + 1)]})


def cases(order: dict[str, Any], rows: int, paths: Sequence[str]) -> dict[str, Callable[[], object]]:
    """Return the cases by name. Each reads a page of ``rows`` orders once."""
    from benchmarks.other_models import msgspec_page, pydantic_page  # not needed for --help

    body = page(order, rows)
    builder = TableBuilder(columns_of(WorkOrder, paths))
    decode = calls.query(WorkOrder, {}).decode
    by_msgspec = msgspec.json.Decoder(msgspec_page(WorkOrder, order)).decode
    by_pydantic: Any = pydantic_page(WorkOrder).model_validate_json
    dicts = [row["Data"] for row in codec.loads(body)["Entities"]]
    for _ in range(4):  # so that both learn the rows' fields
        decode(body)
        assert builder.batch(builder.rows(body)).equals(builder.batch(dicts))
    return {
        "records": lambda: [(each.id, each.number, each.dt_due) for each in decode(body)],
        "msgspec": lambda: [
            (each.Data.Id, each.Data.Number, each.Data.DtDue) for each in by_msgspec(body).Entities
        ],
        "pydantic": lambda: [
            (each.Data.id, each.Data.number, each.Data.dt_due) for each in by_pydantic(body).Entities
        ],
        "table": lambda: builder.batch(builder.rows(body)),
        "loads": lambda: codec.loads(body),
        "batch() of dicts": lambda: builder.batch(dicts),
    }


def measure(cases: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the CPU seconds of each case."""
    took: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            start = time.process_time()
            case()
            took[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in took.items()}


def main() -> None:
    """Print the figures."""
    parser = arguments.parser("benchmarks.tables", __doc__)
    parser.add_argument("--rows", type=arguments.count, default=1000, metavar="N", help="rows of the page")
    parser.add_argument(
        "--rounds", type=arguments.count, default=15, metavar="N", help="rounds to take the median of"
    )
    given = parser.parse_args()
    pages = {
        "default columns": (ORDER, ()),
        "and an unknown field": (ORDER | {"SlaState": "Met"}, ()),
        "12 columns": (SELECTED, TWELVE),
    }
    for title, (order, paths) in pages.items():
        took = measure(cases(order, given.rows, paths), given.rounds)
        print(title)
        for name, seconds in took.items():
            print(f"  {name:18} {given.rows / seconds:10,.0f} rows/s")
        print(
            f"  records / msgspec  {took['records'] / took['msgspec']:10.2f} in CPU time (goal: at most 1.3)"
        )
        print(f"  table / records    {took['records'] / took['table']:10.2f} in rows/s")


if __name__ == "__main__":
    main()
