"""The initial records in docs/sandbox.md are those of a new Company."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT
from wosdk_async import Company, WorkOrder

SECTION = (
    (ROOT / "docs/sandbox.md")
    .read_text("utf-8")
    .partition("## What a Company begins with")[2]
    .partition("## ")[0]
)
ROWS = re.findall(r"^\| `(\w+)` \| (.+) \|$", SECTION, re.MULTILINE)


async def test_a_company_begins_with_the_records_of_the_page(wosdk_company: Company) -> None:
    assert len(ROWS) == 9
    for entity, listed in ROWS:
        for record in listed.split(", "):
            id, _, name = record.partition(" ")
            found = await wosdk_company.get(entity, int(id), properties=["*"])
            assert name in (found.get("Name"), found.get("DisplayAs")), (entity, found)
    assert await wosdk_company.query(WorkOrder).all() == []
