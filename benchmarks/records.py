"""Cost of ``to_dict`` for a 5 KB work order, compared with decoding the order.

    python -m benchmarks.records [--quick] [--json OUT.json]

The figures are CPU time of this process: medians of rounds in which the cases take turns. For an order just
decoded, the time of decoding is subtracted from that of decoding and ``to_dict``.

to_dict_vs_decode            to_dict of an order that was just decoded, with all that it has to make of the
                             objects in it, divided by decoding the order
to_dict_vs_decode_read       the same divided by decoding the order and reading every object of it
to_dict_looked_at_vs_decode  to_dict of an order whose objects were read before, divided by decoding it
"""

from __future__ import annotations

import json
from collections.abc import Callable

import orjson

from benchmarks.__main__ import measure
from tests.support import arguments
from tests.support.payload import object_reader, work_order
from wosdk_async import WorkOrder, codec, from_dict, from_json, to_dict, to_json

_FRESH = "to_dict of an order just decoded"


def cases() -> dict[str, Callable[[], object]]:
    """Return the cases by name."""
    body = work_order(unknown=True)
    read_all = object_reader()
    for _ in range(20):  # so that the codec learns the fields
        codec.decode(body, WorkOrder)
    read = read_all(codec.decode(body, WorkOrder))
    shown = to_dict(read)
    assert to_dict(codec.decode(body, WorkOrder)) == shown
    assert from_dict(WorkOrder, shown) == read
    text = to_json(read)
    return {
        "decode": lambda: codec.decode(body, WorkOrder),
        "decode, every object read": lambda: read_all(codec.decode(body, WorkOrder)),
        "decode and to_dict": lambda: to_dict(codec.decode(body, WorkOrder)),
        "decode and to_dict, Python names": lambda: to_dict(codec.decode(body, WorkOrder), names="python"),
        "decode and to_json": lambda: to_json(codec.decode(body, WorkOrder)),
        "to_dict, every object read before": lambda: to_dict(read),
        "from_dict": lambda: from_dict(WorkOrder, shown),
        "from_json": lambda: from_json(WorkOrder, text),
        "orjson.loads": lambda: orjson.loads(body),
    }


def ratios(took: dict[str, float]) -> dict[str, float]:
    """Return the ratios for the JSON file."""
    return {
        "to_dict_vs_decode": took[_FRESH] / took["decode"],
        "to_dict_vs_decode_read": took[_FRESH] / took["decode, every object read"],
        "to_dict_looked_at_vs_decode": took["to_dict, every object read before"] / took["decode"],
    }


def table(took: dict[str, float]) -> str:
    """Return a table of the times, also divided by the time to decode, and to decode and read all."""
    decode, read = took["decode"], took["decode, every object read"]
    rows = [
        f"{name:36} {seconds * 1e6:8.1f} {seconds / decode:8.1f} {seconds / read:15.1f}"
        for name, seconds in took.items()
    ]
    return "\n".join([f"{'CPU us':>45} {'/ decode':>8} {'/ decode, read':>15}", *rows])


def main() -> None:
    """Measure and print the figures."""
    parser = arguments.parser("benchmarks.records", __doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    arguments.add_json(parser, "the ratios")
    args = parser.parse_args()
    took = measure(cases(), 11 if args.quick else 101)
    took[_FRESH] = took["decode and to_dict"] - took["decode"]
    print(table(took))
    found = ratios(took)
    for name, ratio in found.items():
        print(f"{name:36} {ratio:8.2f}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
