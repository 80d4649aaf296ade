"""Forms of commands that work where the specification and the recordings of the service differ.

``catalogue/differences.json`` lists all places where they differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["ADAPTERS"]

Content = dict[str, Any]


def _create_work_order(content: Content) -> None:
    """Send the category as the number that is shown, and the requestor in both places."""
    order = content.get("WorkOrder")
    if order.__class__ is not dict:
        return
    if order.get("TypeCategory") == "Request":  # spec 4.3 sends the integer; facts 9: 4 came back as Request
        order["TypeCategory"] = 4
    # spec 4.3 sends Contactid; facts 5: it is dropped and RequestorContact taken
    contact_id, contact = order.get("Contactid"), order.get("RequestorContact")
    if contact_id is None and contact.__class__ is dict and contact.get("Id") is not None:
        order["Contactid"] = contact["Id"]
    elif contact_id is not None and contact is None:
        order["RequestorContact"] = {"Id": contact_id}
    elif contact_id is not None and contact.__class__ is dict and contact.get("Id") is None:
        contact["Id"] = contact_id


def _change_ap_status(content: Content) -> None:
    """Spell the order's id as the specification does; letter case does not matter to the service."""
    if content.get("WorkOrderId") is not None:  # spec 4.5; facts 3.3
        content["WorkOrderid"] = content.pop("WorkOrderId")


def _create_space(content: Content) -> None:
    """Send the customer's id as text."""
    if content.get("CustomerId") is not None:  # spec 4.4 sends a string; facts 5: an integer by schema
        content["CustomerId"] = str(content["CustomerId"])


ADAPTERS: dict[str, Callable[[Content], None]] = {
    "WoCreateCommand": _create_work_order,
    "ApStatusChangeCommand": _change_ap_status,
    "SpaceCreateCommand": _create_space,
}
"""Name of a command -> the function that changes its content, in place, to forms that both sources accept."""
