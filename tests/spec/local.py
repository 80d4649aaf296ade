"""The sandbox as spec 4 and 5 address it, with bare httpx: nothing of the client takes part.

Where the specification shows no way to read (4.10), the forms of facts 3.1 and 4 are used.
"""

from __future__ import annotations

from datetime import datetime
from types import TracebackType
from typing import Any, Self

import httpx

from tests.spec.table import Json
from tests.support.sandbox_process import log_in_form

# What the seeded Company holds.
CUSTOMER, OTHER_CUSTOMER, CONTACT, ASSET, TASK, SUB_TYPE = 512, 513, 731, 20440, 14211, 259
EMPLOYEE, PROVIDER = 208, 230
ATTRIBUTE, ATTRIBUTE_OWNER = 811, 20440
TEMPLATE, INSIDE_THE_TEMPLATE = "Small suite", "Air handler"
AP_STATUSES = {"Submitted": 4, "Authorized": 5, "Exported": 6, "Disputed": 7}


def create_request(**changes: Any) -> Json:
    """``Command`` of a WoCreateCommand, the five fields of spec 4.3 with the schedule computed."""
    order = {
        "Items": [{"Asset": {"Id": ASSET}, "Task": {"Id": TASK}}],
        "Contactid": CONTACT,
        "TypeCategory": 4,
        "SubType": {"Id": SUB_TYPE},
        "Customer": {"Id": CUSTOMER},
    }
    return {"WorkOrder": {**order, **changes}, "ComputeSchedule": True}


def space_request(unit: str, **changes: Any) -> Json:
    """``Command`` of a SpaceCreateCommand with every field of spec 4.4."""
    address = {
        "ActorTypeId": "CommLeaseSpace",
        "TypeId": "Primary",
        "Street": "18 Quay Street",
        "Street2": "Door 3",
        "City": "Portmouth",
        "State": "ME",
        "Zip": "04099",
        "Country": "USA",
    }
    specifier = {"UnitName": unit, "UnitFloorPlan": TEMPLATE, "StreetAddress": address}
    command = {
        "CustomerId": str(CUSTOMER),
        "StartDate": "2024-06-01T00:00:00",
        "IfUnitAlreadyExists": "Reuse",
        "Instructions": "Keys at the desk.",
        "NewUnitSpecifier": specifier,
    }
    return {**command, **changes}


def succeeded(reply: httpx.Response) -> Json:
    """The JSON object of a success."""
    assert reply.status_code == 200, reply.text
    found: Json = reply.json()
    return found


def refused(reply: httpx.Response, code: str | None = None) -> str:
    """ErrorMessage of a refusal, whose body is checked against the table of spec 7."""
    assert reply.status_code >= 400, reply.text
    body = reply.json()
    assert isinstance(body["ErrorMessage"], str), body
    assert isinstance(body["ErrorCode"], str), body
    moment, dot, fraction = body["TimeStamp"].removesuffix("Z").partition(".")
    assert body["TimeStamp"].endswith("Z"), body
    assert dot == ".", body
    assert fraction.isdigit(), body
    datetime.fromisoformat(moment)
    assert code in (None, body["ErrorCode"]), body
    message: str = body["ErrorMessage"]
    return message


class Local:
    """A session with a local Company: token, host from discovery, and the headers of spec 5."""

    def __init__(self, variables: dict[str, str]) -> None:
        self.variables = variables
        self.http = httpx.Client()

    def __enter__(self) -> Self:
        self.http.headers = httpx.Headers(self.headers(self.token()))
        self.found = succeeded(self.discover())["CommandResult"]
        self.base_url = self.found["Url"].rstrip("/")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def token(self) -> str:
        form = log_in_form(self.variables)
        made: str = succeeded(self.http.post(self.variables["WOSDK_TOKEN_URL"], data=form))["access_token"]
        return made

    def headers(self, token: str) -> dict[str, str]:
        """The four headers of spec 5."""
        return {
            "Authorization": f"Bearer {token}",
            "CompanyName": self.variables["WOSDK_COMPANY"],
            "Content-Type": "application/json",
            "Accept-Encoding": "gzip,deflate",
        }

    def discover(self, name: str | None = None) -> httpx.Response:
        url = f"{self.variables['WOSDK_LOCATOR_URL']}/api/v1/cmd/GetCompanyWsdkUrlCommand"
        name = name or self.variables["WOSDK_COMPANY"]
        command = {"ApiType": "REST", "CompanyName": name, "Protocol": "HTTPS"}
        return self.http.post(url, json={"Command": command})

    # --- the operations of spec 4 -------------------------------------------------------------

    def send(self, method: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        if isinstance(body, bytes):
            options["content"] = body
        elif body is not None:
            options["json"] = body
        return self.http.request(method, f"{self.base_url}/api/v1/{path}", **options)

    def command(self, name: str, command: Json, request_id: str = "r-1") -> httpx.Response:
        return self.send("POST", f"cmd/{name}", {"Command": command, "RequestId": request_id})

    def run(self, name: str, command: Json) -> Json:
        """``CommandResult`` of a command that succeeds, its envelope checked against spec 4.2."""
        envelope = succeeded(self.command(name, command, "my correlation 17"))
        assert envelope.keys() == {"CommandResult", "RequestId"}
        assert envelope["RequestId"] == "my correlation 17"
        result: Json = envelope["CommandResult"]
        return result

    def put(self, entity: str, properties: list[str], fields: Json) -> httpx.Response:
        return self.send("PUT", f"base/{entity}", {"Properties": properties, "Entity": fields})

    def read(self, entity: str, id: int, *properties: str) -> Json:
        """``Data`` of a record, out of the envelope of spec 4.9."""
        chosen = {"ID": id, "properties": ",".join(properties)} if properties else {"ID": id}
        envelope = succeeded(self.send("GET", f"base/{entity}", params=chosen))
        (only,) = envelope.get("Entities", [envelope])  # facts 12 row 5: a recording has Data alone
        data: Json = only["Data"]
        return data

    def rows(self, entity: str, name: str, value: Any) -> list[Json]:
        """The rows whose field ``name`` has ``value``."""
        condition = {"PropertyName": name, "Operator": "Equal", "Values": [str(value)]}
        expression = {
            "PropertySet": {"Properties": ["*"]},
            "Criteria": {"Conditions": [condition], "FilterOperator": "And"},
        }
        found = succeeded(self.send("POST", f"query/{entity}", {"QueryExpression": expression}))
        return [row["Data"] for row in found["Entities"]]

    # --- records to work on -------------------------------------------------------------------

    def new_order(self, **command: Any) -> int:
        made: int = self.run("WoCreateCommand", create_request() | command)["Wo"]["Id"]
        return made

    def completed_order(self) -> int:
        order = self.new_order(EmployeeId=EMPLOYEE)
        for name in ("WoPickUpCommand", "WoStartCommand", "WoCompleteCommand"):  # facts 5.1
            self.run(name, {"WorkOrderId": order, "Comment": "Belt replaced."})
        return order
