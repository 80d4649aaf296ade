"""Import files for measurements: maps, and any number of rows."""

from __future__ import annotations

import csv
from itertools import cycle, islice
from pathlib import Path

REQUESTS_MAP = Path("docs/examples/sf311.toml")
_REQUESTS = Path("docs/examples/requests.csv")

MARKER = "work_order.po_number"
COLUMNS = ("key", "text", "notes", "customer")

ROWS_MAP = """
[command]
comment = "{notes}"
[command.work_order]
type_category = "Request"
sub_type = "@kind"
customer = "@customer"
po_number = "{key}"
[[command.work_order.items]]
asset = "@asset"
task = "@task"
comment = "{text}"

[reference.kind]
entity = "WorkOrderType"
where = { type_id = "Request", is_def_sr = true }
[reference.asset]
entity = "Location"
[reference.task]
entity = "Task"
"""
"""Map for the rows of :func:`write_rows`, without their customer."""

_CUSTOMER = """
[reference.zone]
entity = "WorkZone"
where = { is_offline = false }

[reference.customer]
entity = "Customer"
by = "display_as"
from = "{customer}"
if_missing = "create"
[reference.customer.create]
name = "{}"
work_zone = "@zone"
"""


def write_map(folder: Path) -> Path:
    path = folder / "map.toml"
    path.write_text(ROWS_MAP + _CUSTOMER, encoding="utf-8")
    return path


def write_rows(path: Path, rows: int, *, prefix: str = "K", customers: int = 1) -> Path:
    """Write a CSV file with keys that begin with ``prefix``, and this number of new customers."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in range(1, rows + 1):
            customer = f"{prefix} customer {row % customers}"
            writer.writerow([f"{prefix}{row}", f"text {row}", f"notes {row}", customer])
    return path


def write_requests(path: Path, rows: int) -> Path:
    """Write ``rows`` requests to a city's service line, with unique keys and 2,000 addresses."""
    with _REQUESTS.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        columns, requests = list(reader.fieldnames or ()), list(reader)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for number, request in enumerate(islice(cycle(requests), rows), 1):
            address = f"{number % 2000} Quay Street"
            writer.writerow(request | {"unique_key": f"{number}", "incident_address": address})
    return path
