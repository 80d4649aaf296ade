"""Maps for the tests, on what a fresh local Company holds."""

from __future__ import annotations

from tests.support.import_files import COLUMNS as HEADER
from tests.support.import_files import MARKER
from tests.support.import_files import ROWS_MAP as WORK_ORDER

__all__ = ["CREATED", "CUSTOMER", "FIXED_CUSTOMER", "HEADER", "MAP", "MARKER", "WORK_ORDER", "rows"]

CUSTOMER = """
[reference.customer]
entity = "Customer"
by = "display_as"
from = "{customer}"
"""

CREATED = (
    CUSTOMER
    + """
if_missing = "create"
truncate = true
[reference.customer.create]
name = "{}"
work_zone = "@zone"
[reference.zone]
entity = "WorkZone"
where = { is_offline = false }
"""
)

FIXED_CUSTOMER = '[reference.customer]\nentity = "Customer"\n'

MAP = WORK_ORDER + FIXED_CUSTOMER


def rows(*keys: int | str, customer: str = "") -> list[list[str]]:
    """Return a row with each key."""
    return [[str(key), f"text {key}", f"notes {key}", customer] for key in keys]
