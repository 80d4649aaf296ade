"""Maps for the tests, on what a fresh local Company holds."""

from __future__ import annotations

WORK_ORDER = """
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
"""Everything but the customer; columns key, text and notes."""

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

HEADER = ("key", "text", "notes", "customer")
