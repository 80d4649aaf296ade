"""Responses of a service with any number of 1 KB work orders."""

from __future__ import annotations

import json
import re

LAST = re.compile(rb'"GreaterThan","Values":\["(\d+)"\]')
COUNT = re.compile(rb'"Count":(\d+)')

ROW = json.dumps(
    {
        "Data": {
            **{"Number": "RS00042", "TypeCategory": "Request", "StatusId": "New", "Access": "NotApplicable"},
            **{
                name: {"Id": 7} for name in ("WorkOrderCost", "Priority", "MainAsset", "WorkZone", "Employee")
            },
            **{name: {"Id": 9} for name in ("Specialty", "SubType", "Customer", "LastAction")},
            "VendorNte": {"CurrencyTypeId": "USD", "Value": 350.5},
            **{
                "ShortLocation": "Riverside, floor 2, suite 214",
                "TaskRefinement": "Air handler, no cold air",
            },
            **{
                "Duration": 60,
                "PoNumber": "PO-2231",
                "ContactName": "Ada Moreau",
                "WonId": 0,
                "TimeZone": 35,
            },
            **{"IsWarranty": False, "FlagId": 0, "CurrencyTypeId": "USD"},
            **dict.fromkeys(("LastActionDate", "DtCreated", "DtDue"), "2026-03-01T09:12:31.44"),
            **dict.fromkeys(("LastActionDateUtc", "CreatedDateUtc", "DueDateUtc"), "2026-03-01T15:12:31.44"),
            **{"NotDocumented": "kept in extra", "ConcurrencyId": 3, "Id": "@"},
        }
    },
    separators=(",", ":"),
)


def response_body(path: str, body: bytes, rows: int, port: int) -> bytes:
    """Return the requested token, host, or page of records."""
    if path == "/OAuth/token":
        return b'{"access_token":"t","token_type":"bearer","expires_in":1199}'
    if path.endswith("GetCompanyWsdkUrlCommand"):
        return json.dumps({"CommandResult": {"Url": f"http://127.0.0.1:{port}/"}}).encode()
    found, count = LAST.search(body), COUNT.search(body)
    last, size = int(found[1]) if found else 0, int(count[1]) if count else 4000
    page = ",".join(ROW.replace('"@"', str(id)) for id in range(last + 1, min(last + size, rows) + 1))
    return f'{{"Entities":[{page}]}}'.encode()
