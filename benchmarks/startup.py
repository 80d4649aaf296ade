"""CPU time until a program has its first result: imports, and the first decoding of a WorkOrder.

    python -m benchmarks.startup [--runs 7]

Every run is a fresh process; the figures are medians in milliseconds, with the smallest and largest. The
import of httpx, alone in a process, is for comparison.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

from tests.support import arguments

PROBE = """
import json, sys, time
def took(since): return (time.process_time() - since) * 1000
start = time.process_time()
import wosdk_async
package = took(start); start = time.process_time()
from wosdk_async import Client
client = took(start); start = time.process_time()
from wosdk_async import WorkOrder, codec
model = took(start)
body = sys.stdin.buffer.read(); start = time.process_time()
order = codec.decode(body, WorkOrder)
first = took(start); start = time.process_time()
codec.decode(body, WorkOrder)
second = took(start); start = time.process_time()
for _ in range(500): codec.decode(body, WorkOrder)
print(json.dumps({
    "import wosdk_async": package, "... Client": client, "... WorkOrder": model,
    "first decode of a WorkOrder": first, "second, which compiles the types": second,
    "later decode": took(start) / 500,
}))
"""
HTTPX = """
import json, time
start = time.process_time()
import httpx
print(json.dumps({"import httpx": (time.process_time() - start) * 1000}))
"""


def order() -> bytes:
    """Return a work order with opened references, in the form of spec 2.3."""
    money = {"CurrencyTypeId": "USD", "Value": 350.0}
    zone = {"DisplayAs": "Riverside", "TimeZone": 35, "DefaultAccess": "NotApplicable", "Teams": [], "Id": 14}
    cost = {
        "Id": 7,
        "CurrencyTypeId": "USD",
        "CostsTotal": money,
        "ApStateId": "None",
        "CostState": "Pending",
    }
    contact = {"DisplayAs": "Ada", "TypeId": "Primary", "CustomFields": [], "ConcurrencyId": 2, "Id": 731}
    employee = {"FirstName": "Mira", "ActorTypeId": "Employee", "RadiusUnit": "Mile", "Teams": [], "Id": 208}
    customer = {"DisplayAs": "Dental", "TaxExempt": False, "Spaces": [], "Addresses": [], "Id": 512}
    asset = {"Name": "Air handler", "TypeId": "Equipment", "Documents": [], "Attributes": [], "Id": 21544}
    found = {
        **{"Id": 7, "Number": "RS0007", "TypeCategory": "Request", "StatusId": "New", "VendorNte": money},
        **{"Access": "NotApplicable", "WorkOrderCost": cost, "RequestorContact": contact, "MainAsset": asset},
        **{"WorkZone": zone, "Employee": employee, "Customer": customer, "ConcurrencyId": 1, "Flags": []},
        **{"Priority": {"DueInMinutes": 2880, "Id": 3}, "Specialty": {"DisplayAs": "HVAC", "Id": 27}},
        **{"SubType": {"TypeId": "Request", "Id": 4}, "LastAction": {"Id": 7, "BillStatus": "NotBilled"}},
        **{"DtCreated": "2024-05-14T09:12:31.4470216", "DueDateUtc": "2024-05-16T13:12:00Z"},
        **{"Items": [{"Asset": {"Id": 21544}, "Task": {"Id": 14211}, "Comment": "noisy"}], "Notes": []},
    }
    return json.dumps(found).encode()


def measured(probe: str) -> dict[str, float]:
    """Run a probe in a fresh process, and return its figures in milliseconds."""
    done = subprocess.run([sys.executable, "-c", probe], input=order(), capture_output=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure in fresh processes and print the medians."""
    parser = arguments.parser("benchmarks.startup", __doc__)
    parser.add_argument(
        "--runs", type=arguments.count, default=7, metavar="N", help="fresh processes to take the median of"
    )
    runs = [measured(PROBE) | measured(HTTPX) for _ in range(parser.parse_args().runs)]
    for name in runs[0]:
        values = sorted(run[name] for run in runs)
        print(f"{name:30} {statistics.median(values):8.2f} ms   ({values[0]:.2f} .. {values[-1]:.2f})")


if __name__ == "__main__":
    main()
