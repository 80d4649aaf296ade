"""Spec 3, the table of state-bearing fields, and the other kind of document of spec 2.9."""

from __future__ import annotations

from typing import Any

import wosdk_async as wosdk
from tests.spec.local import Local
from tests.spec.rules import spec
from tests.support.laws import case
from wosdk_async import Company, Document, Ref
from wosdk_async.codec import structure, unstructure

# class, field on the wire, attribute, value seen
STATES: list[tuple[str, str, str, str]] = [
    ("WorkOrder", "StatusId", "status_id", "New"),
    ("WorkOrder", "StatusId", "status_id", "Cancelled"),
    ("WorkOrder", "TypeCategory", "type_category", "Request"),
    ("WorkOrderCost", "CostState", "cost_state", "Pending"),
    ("WorkOrderCost", "ApStateId", "ap_state_id", "None"),
    ("WoLastAction", "BillStatus", "bill_status", "NotBilled"),
    ("WorkOrder", "InductionAndSafetyStatusID", "induction_and_safety_status_id", "NotRequired"),
    ("Space", "StatusId", "status_id", "Current"),
    ("WoVerification", "WoRatingId", "wo_rating_id", "Positive"),
]


@spec("3", "state-bearing fields")
@spec("3", "Cancelled")
def test_state() -> None:
    """Spec 3: each value that the table shows is a member, read and written by its name."""
    for cls, wire, name, value in STATES:
        with case(cls, wire, value):
            made = structure({wire: value}, getattr(wosdk, cls))
            member: Any = getattr(made, name)
            assert (member.is_known, member, unstructure(made)) == (True, value, {wire: value})


@spec("2.9", "Document")
async def test_a_link(company: Company, local: Local) -> None:
    """Spec 2.9: a document can be a link, in which the URL has its own property; the sandbox keeps it."""
    order = local.new_order()
    link = Document(
        actor_id=order,
        actor_type_id="WO",
        title="Air handler manual",
        storage_type_id="URL",
        doc_type=Ref(3),
        doc_url="https://manuals.example/ah-3",
    )
    made = await company.create(link)
    kept = await company.get(Document, made.id)
    assert (kept.doc_url, kept.storage_type_id, kept.blob) == (link.doc_url, "URL", None)
